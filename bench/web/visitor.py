"""A person's browser and an agent's client, as far as a measurement needs them: requests over one kept connection."""

import http.client
import json
import re
import threading
import time
from urllib.parse import urlencode

NAME = "guild.localhost"


class Visitor:
    """Somebody who asks the server; each has a connection of its own."""

    def __init__(self, port: int, headers: dict[str, str] | None = None):
        self.port = port
        self.headers = {"Host": f"{NAME}:{port}", **(headers or {})}
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    @classmethod
    def by_link(cls, port: int, link: str) -> "Visitor":
        """The person, let in by the link that the server printed."""
        came = cls(port)
        response, _ = came.ask("GET", link[link.index("/login"):])
        cookie = (response.getheader("Set-Cookie") or "").partition(";")[0]
        if not cookie:
            raise RuntimeError(f"the link does not open the page: {response.status}")
        return cls(port, {"Cookie": cookie})

    def again(self) -> "Visitor":
        """The same person at another connection."""
        return Visitor(self.port, {key: value for key, value in self.headers.items() if key != "Host"})

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            self.connection.request(method, path, body, {**self.headers, **named})
            response = self.connection.getresponse()
            return response, response.read()
        except (http.client.HTTPException, OSError):
            self.connection.close()
            raise

    def get(self, path: str) -> bytes:
        """What is there; anything but success is an error."""
        response, body = self.ask("GET", path)
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status}")
        return body

    def send(self, path: str, fields: dict[str, str], token: str) -> None:
        """A form of the page, with its own token."""
        body = urlencode({**fields, "csrf-token": token}).encode()
        origin = f"http://{NAME}:{self.port}"
        response, said = self.ask("POST", path, body, Origin=origin, Content_Type="application/x-www-form-urlencoded")
        if response.status not in (200, 303):
            raise RuntimeError(f"{path}: {response.status} {said[:200]!r}")

    def form_token(self, page: str = "/skills") -> str:
        """What the page's forms bring, so that nobody else's do."""
        found = re.search(rb'name="csrf-token" value="([0-9a-f]+)"', self.get(page))
        if not found:
            raise RuntimeError(f"{page} has no form")
        return found.group(1).decode()


def first_visit(visitor: Visitor) -> dict[str, int]:
    """Bytes that a browser without a cache gets for one page: itself and everything that it names."""
    page = visitor.get("/skills")
    assets = sorted(set(re.findall(rb'(?:href|src)="(/assets/[^"]+)"', page)))
    return {"page": len(page), **{asset.decode(): len(visitor.get(asset.decode())) for asset in assets}}


class Agent:
    """A client of MCP whose person is asked elsewhere: it can show a dialogue, which nobody answers."""

    def __init__(self, port: int, token: str):
        self.visitor = Visitor(port, {"Authorization": f"Bearer {token}", "Content-Type": "application/json",
                                      "Accept": "application/json, text/event-stream"})
        self.number = 0
        hello = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {"form": {}}},
                 "clientInfo": {"name": "bench", "version": "1"}}
        response, _ = self.post({"method": "initialize", "params": hello, "id": self.next()})
        self.visitor.headers["Mcp-Session-Id"] = response.getheader("Mcp-Session-Id") or ""
        self.visitor.headers["Mcp-Protocol-Version"] = "2025-11-25"
        self.post({"method": "notifications/initialized"})

    def next(self) -> int:
        self.number += 1
        return self.number

    def post(self, message: dict) -> tuple[http.client.HTTPResponse, bytes]:
        return self.visitor.ask("POST", "/mcp", json.dumps({"jsonrpc": "2.0", **message}).encode())

    def run(self, skill: str) -> dict:
        """Runs a skill, however long somebody takes to allow it."""
        number = self.next()
        params = {"name": "skill_run", "arguments": {"name": skill, "input": {}}}
        _, said = self.post({"method": "tools/call", "params": params, "id": number})
        for told in messages(said):
            if told.get("id") == number and "method" not in told:
                if "error" in told:
                    raise RuntimeError(told["error"]["message"])
                return told["result"]
        raise RuntimeError(f"no answer in {said[:300]!r}")


def messages(said: bytes) -> list[dict]:
    """The messages of an answer, which is one of them or a stream of events."""
    text = said.decode()
    if text.lstrip().startswith("{"):
        return [json.loads(text)]
    lines = (line.removeprefix("data:").strip() for line in text.splitlines() if line.startswith("data:"))
    return [json.loads(line) for line in lines if line]


def round_trip(agent: Agent, person: Visitor, skill: str, token: str) -> float:
    """Milliseconds from an agent's call to its result, with a person who allows it as soon as they see it."""
    outcome: list = []

    def call() -> None:
        try:
            outcome.append(agent.run(skill))
        except (RuntimeError, OSError, http.client.HTTPException) as error:
            outcome.append(error)

    start = time.perf_counter()
    calling = threading.Thread(target=call)
    calling.start()
    while calling.is_alive():
        waiting = json.loads(person.get("/api/v1/approvals"))["data"]["requests"]
        if waiting:
            person.send(f"/approvals/{waiting[0]['id']}", {"decision": "once"}, token)
            break
        time.sleep(0.005)
    calling.join()
    taken = (time.perf_counter() - start) * 1000
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    if outcome[0].get("isError"):
        raise RuntimeError(str(outcome[0].get("content")))
    return taken
