"""A store under test. Objects are put there by plain HTTP: keys and markers are just what a test says."""

from __future__ import annotations

import base64
import datetime
import hashlib
import hmac
import http.client
import json
import urllib.request
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from servers import ACCESS_KEY, ACCOUNT, ACCOUNT_KEY, SECRET_KEY, Addresses


@dataclass
class Counts:
    """What the proxy saw."""

    operations: dict[str, int]
    peak: dict[str, int]
    in_flight: dict[str, int]
    connections: int
    bytes: int
    faults: int
    requests: list[dict[str, object]] = field(default_factory=list, repr=False)

    def __getattr__(self, name: str) -> int:
        """The number of requests of an operation: `counts.head`."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self.operations.get(name, 0)


class Store:
    """Base of the three. Keys are given as text; `bucket` is made by create_bucket()."""

    kind = ""
    scheme = ""

    def __init__(self, addresses: Addresses) -> None:
        self.addresses = addresses
        self.bucket = ""
        self._connection = http.client.HTTPConnection(addresses.server)

    # -- what the tests give to shoal

    def uri(self, key: str = "", bucket: str | None = None) -> str:
        return f"{self.scheme}://{bucket or self.bucket}/{key}"

    def options(self, endpoint: str | None = None) -> dict[str, str]:
        raise NotImplementedError

    def wrong_credentials(self) -> dict[str, str] | None:
        raise NotImplementedError

    # -- objects

    def create_bucket(self, name: str) -> None:
        raise NotImplementedError

    def put(self, key: str, content: bytes = b"") -> None:
        raise NotImplementedError

    def remove(self, key: str) -> None:
        raise NotImplementedError

    def _send(self, method: str, target: str, body: bytes, headers: dict[str, str]) -> None:
        for attempt in range(3):
            try:
                self._connection.request(method, target, body, headers)
                answer = self._connection.getresponse()
                text = answer.read()
                break
            except (http.client.HTTPException, ConnectionError):
                self._connection.close()
                if attempt == 2:
                    raise
        if answer.status not in (200, 201, 202, 204, 409):
            raise RuntimeError(f"{method} {target}: {answer.status} {text[:500]!r}")

    # -- the proxy

    def _control(self, path: str, value: object = None) -> bytes:
        body = None if value is None else json.dumps(value).encode()
        with urllib.request.urlopen(self.addresses.control + path, body, timeout=10) as answer:
            return answer.read()

    def reset(self) -> None:
        self._control("/reset", {})

    def behave(self, delay_ms: int = 0, *faults: dict[str, object]) -> None:
        self._control("/behave", {"delay_ms": delay_ms, "faults": list(faults)})

    def counts(self) -> Counts:
        """Operations on this test's bucket only: what earlier tests left behind may still be asking."""
        counts = Counts(**json.loads(self._control("/counts")))
        mine = [request["operation"] for request in counts.requests if self.bucket in str(request["url"])]
        counts.operations = {operation: mine.count(operation) for operation in set(mine)}
        return counts


class S3(Store):
    kind = "s3"
    scheme = "s3"

    def options(self, endpoint: str | None = None) -> dict[str, str]:
        return {
            "aws_access_key_id": ACCESS_KEY,
            "aws_secret_access_key": SECRET_KEY,
            "aws_endpoint_url": f"http://{endpoint or self.addresses.endpoint}",
            "aws_region": "us-east-1",
        }

    def wrong_credentials(self) -> dict[str, str]:
        return self.options() | {"aws_secret_access_key": "wrong"}

    def create_bucket(self, name: str) -> None:
        self.bucket = name
        self._signed("PUT", f"/{name}", b"")

    def put(self, key: str, content: bytes = b"") -> None:
        self._signed("PUT", f"/{self.bucket}/{quote(key, safe='/~')}", content)

    def remove(self, key: str) -> None:
        self._signed("DELETE", f"/{self.bucket}/{quote(key, safe='/~')}", b"")

    def _signed(self, method: str, target: str, body: bytes) -> None:
        """Signature Version 4."""
        now = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
        digest = hashlib.sha256(body).hexdigest()
        headers = {"host": self.addresses.server, "x-amz-content-sha256": digest, "x-amz-date": now}
        names = ";".join(sorted(headers))
        lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
        request = "\n".join([method, target, "", lines, names, digest])
        scope = f"{now[:8]}/us-east-1/s3/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(request.encode()).hexdigest()])
        key = f"AWS4{SECRET_KEY}".encode()
        for part in scope.split("/"):
            key = hmac.digest(key, part.encode(), "sha256")
        signature = hmac.digest(key, text.encode(), "sha256").hex()
        headers["Authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/{scope}, SignedHeaders={names}, Signature={signature}"
        )
        self._send(method, target, body, headers)


class Azure(Store):
    kind = "azure"
    scheme = "abfs"

    def options(self, endpoint: str | None = None) -> dict[str, str]:
        return {
            "azure_storage_account_name": ACCOUNT,
            "azure_storage_account_key": ACCOUNT_KEY,
            "azure_endpoint": f"http://{endpoint or self.addresses.endpoint}",
        }

    def wrong_credentials(self) -> dict[str, str]:
        return self.options() | {"azure_storage_account_key": base64.b64encode(b"wrong").decode()}

    def create_bucket(self, name: str) -> None:
        self.bucket = name
        self._put(f"{name}?restype=container&", b"")

    def put(self, key: str, content: bytes = b"") -> None:
        self._put(f"{self.bucket}/{quote(key, safe='/~')}?", content)

    def remove(self, key: str) -> None:
        target = f"/{ACCOUNT}/{self.bucket}/{quote(key, safe='/~')}?{self._signature()}"
        self._send("DELETE", target, b"", {})

    def _put(self, target: str, body: bytes) -> None:
        headers = {"x-ms-blob-type": "BlockBlob", "Content-Length": str(len(body))}
        self._send("PUT", f"/{ACCOUNT}/{target}{self._signature()}", body, headers)

    @staticmethod
    def _signature() -> str:
        """A shared access signature for the account."""
        fields = {"sp": "rwdlac", "ss": "b", "srt": "sco", "se": "2099-01-01T00:00:00Z", "spr": "https,http"}
        fields["sv"] = "2021-08-06"
        order = [fields["sp"], "b", "sco", "", fields["se"], "", fields["spr"], fields["sv"], "", ""]
        text = "\n".join([ACCOUNT, *order]).encode()
        signature = hmac.digest(base64.b64decode(ACCOUNT_KEY), text, "sha256")
        return urlencode(fields | {"sig": base64.b64encode(signature).decode()})


class Gcs(Store):
    kind = "gcs"
    scheme = "gs"

    def options(self, endpoint: str | None = None) -> dict[str, str]:
        return {"token": "anon", "endpoint_url": f"http://{endpoint or self.addresses.endpoint}"}

    def wrong_credentials(self) -> None:
        return None  # the server asks for none

    def create_bucket(self, name: str) -> None:
        self.bucket = name
        self._send("POST", "/storage/v1/b?project=p", json.dumps({"name": name}).encode(), {})

    def put(self, key: str, content: bytes = b"") -> None:
        target = f"/upload/storage/v1/b/{self.bucket}/o?uploadType=media&name={quote(key, safe='')}"
        self._send("POST", target, content, {"Content-Type": "application/octet-stream"})

    def remove(self, key: str) -> None:
        self._send("DELETE", f"/storage/v1/b/{self.bucket}/o/{quote(key, safe='')}", b"", {})


KINDS: dict[str, type[Store]] = {"s3": S3, "azure": Azure, "gcs": Gcs}
