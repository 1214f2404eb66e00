"""Installs and starts servers of object stores, each behind the counting proxy.

What is installed is kept (``SHOAL_STORES_CACHE``, else ``~/.cache/shoal-test-stores``): a second run installs
nothing. `python servers.py install` only installs.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("SHOAL_STORES_CACHE") or Path.home() / ".cache" / "shoal-test-stores")
JOBS = os.environ.get("SHOAL_JOBS", "2")

VERSITYGW = "github.com/versity/versitygw/cmd/versitygw", "v1.8.0"
FAKE_GCS_SERVER = "github.com/fsouza/fake-gcs-server", "v1.56.1"
AZURITE = "3.37.0"

ACCESS_KEY, SECRET_KEY = "shoalkey", "shoalsecret"
# The account that azurite documents for everyone.
ACCOUNT = "devstoreaccount1"
ACCOUNT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def say(text: str) -> None:
    print(f"stores: {text}", file=sys.stderr, flush=True)


# ---- installation


def _go(arguments: list[str], folder: Path | None = None, **environment: str) -> None:
    go = shutil.which("go") or "/usr/local/go/bin/go"
    subprocess.run(
        [go, *arguments],
        cwd=folder,
        check=True,
        env=os.environ
        | {
            "GOMODCACHE": str(CACHE / "go" / "mod"),
            "GOCACHE": str(CACHE / "go" / "build"),
            "GOFLAGS": "-buildvcs=false -modcacherw",
            "GOMAXPROCS": JOBS,
            "CGO_ENABLED": "0",
        }
        | environment,
    )


def _go_program(module: tuple[str, str]) -> Path:
    package, version = module
    program = CACHE / "bin" / f"{package.rpartition('/')[2]}-{version}"
    if not program.exists():
        say(f"building {package}@{version}")
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            install = ["install", "-p", JOBS, "-trimpath", "-ldflags=-s -w", f"{package}@{version}"]
            _go(install, GOBIN=folder)
            next(Path(folder).iterdir()).rename(program)
    return program


def _proxy() -> Path:
    source = HERE / "proxy"
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(source.iterdir()))).hexdigest()
    program = CACHE / "bin" / f"proxy-{digest[:12]}"
    if not program.exists():
        say("building the proxy")
        _go(["build", "-trimpath", "-o", str(program), "."], source)
    return program


def _azurite() -> Path:
    folder = CACHE / f"azurite-{AZURITE}"
    program = folder / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
    if not program.exists():
        say(f"installing azurite@{AZURITE}")
        options = [
            "--no-audit",
            "--no-fund",
            "--no-package-lock",
            "--loglevel=error",
            "--prefix",
            str(folder),
        ]
        subprocess.run(["npm", "install", *options, f"azurite@{AZURITE}"], check=True, stdout=sys.stderr)
    return program


@dataclass(frozen=True)
class Programs:
    versitygw: Path
    fake_gcs_server: Path
    azurite: Path
    proxy: Path


def install() -> Programs:
    (CACHE / "bin").mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return Programs(_go_program(VERSITYGW), _go_program(FAKE_GCS_SERVER), _azurite(), _proxy())


# ---- running


def _free_ports(n: int) -> list[int]:
    sockets = [socket.socket() for _ in range(n)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _await(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError(f"a server ended with status {process.returncode}:\n{log.read_text()[-2000:]}")
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise RuntimeError(f"nobody listens on port {port}")


@dataclass(frozen=True)
class Addresses:
    """`endpoint` is the proxy's, `server` the server's own."""

    endpoint: str
    server: str
    control: str
    data: Path


@contextmanager
def running(kind: str, programs: Programs, folder: Path) -> Iterator[Addresses]:
    """A server of that kind ("s3", "azure", "gcs") behind the proxy, until the end of the block."""
    front, back, control = _free_ports(3)
    endpoint, server = f"127.0.0.1:{front}", f"127.0.0.1:{back}"
    data = folder / kind
    data.mkdir()
    environment = {}
    if kind == "s3":
        # Kept connections make some chunked uploads fail there; the proxy keeps them for the client.
        command = [programs.versitygw, "--port", server, "--quiet", "posix", data]
        environment = {"ROOT_ACCESS_KEY": ACCESS_KEY, "ROOT_SECRET_KEY": SECRET_KEY}
    elif kind == "azure":
        command = ["node", programs.azurite, "--blobHost", "127.0.0.1", "--blobPort", str(back)]
        command += ["--location", data, "--silent", "--disableTelemetry", "--skipApiVersionCheck"]
    else:
        url = f"http://{endpoint}"
        command = [programs.fake_gcs_server, "-backend", "memory", "-scheme", "http", "-host", "127.0.0.1"]
        command += ["-port", str(back), "-external-url", url, "-public-host", endpoint, "-log-level", "warn"]
    proxy = [programs.proxy, "-kind", kind, "-listen", endpoint, "-server", server]
    proxy += ["-control", f"127.0.0.1:{control}"]

    processes = []
    try:
        for name, words, port in ("server", command, back), ("proxy", proxy, control):
            log = folder / f"{kind}-{name}.log"
            with open(log, "wb") as out:
                process = subprocess.Popen(
                    list(map(str, words)),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    env=os.environ | environment,
                )
            processes.append(process)
            _await(port, process, log)
        yield Addresses(endpoint, server, f"http://127.0.0.1:{control}", data)
    finally:
        for process in reversed(processes):
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


if __name__ == "__main__":
    if sys.argv[1:] != ["install"]:
        sys.exit("usage: servers.py install")
    install()
