"""Many clients at once over HTTP: how many calls a second, whether one failed, and whether the server grew."""

import http.client
import json
import multiprocessing
import threading
import time
from dataclasses import dataclass
from pathlib import Path

VERSION = "2026-07-28"
PROCESSES = 4
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


@dataclass(frozen=True)
class Load:
    """What came of it."""

    clients: int
    seconds: float
    calls: int
    errors: list[str]
    memory_mb: list[float]

    @property
    def rate(self) -> float:
        """Calls in a second."""
        return self.calls / self.seconds

    @property
    def growth(self) -> float:
        """By which factor the server's memory grew from the second quarter of the time to the last."""
        quarter = max(1, len(self.memory_mb) // 4)
        early, late = self.memory_mb[quarter:2 * quarter] or self.memory_mb, self.memory_mb[-quarter:]
        return (sum(late) / len(late)) / (sum(early) / len(early))


def put(address: tuple[str, int], token: str, pid: int, calls: list[tuple[str, dict]], clients: int, seconds: float) -> Load:
    """Has so many clients call for so long."""
    with multiprocessing.Pool(PROCESSES) as pool:
        begun = time.monotonic()
        shares = [(address, token, calls, clients // PROCESSES, seconds) for _ in range(PROCESSES)]
        working = pool.starmap_async(share, shares)
        memory = []
        while not working.ready():
            memory.append(resident_mb(pid))
            working.wait(0.5)
        done = working.get()
        taken = time.monotonic() - begun
    return Load(clients, taken, sum(count for count, _ in done), [error for _, errors in done for error in errors], memory)


def share(address, token: str, calls, clients: int, seconds: float) -> tuple[int, list[str]]:
    """One process's clients, a thread each."""
    counts, errors = [0] * clients, []
    until = time.monotonic() + seconds

    def work(at: int) -> None:
        try:
            connection = http.client.HTTPConnection(*address, timeout=30)
            while time.monotonic() < until:
                tool, arguments = calls[(at + counts[at]) % len(calls)]
                ask(connection, token, tool, arguments, counts[at])
                counts[at] += 1
        except Exception as error:  # whatever it is, it is a call that failed
            errors.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=work, args=(at,)) for at in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts), errors


def ask(connection: http.client.HTTPConnection, token: str, tool: str, arguments: dict, number: int) -> None:
    """One call; raises where it failed in any way."""
    params = {"name": tool, "arguments": arguments, "_meta": META}
    body = json.dumps({"jsonrpc": "2.0", "id": number + 1, "method": "tools/call", "params": params})
    headers = {
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": f"Bearer {token}",
        "MCP-Protocol-Version": VERSION, "Mcp-Method": "tools/call", "Mcp-Name": tool,
    }
    connection.request("POST", "/mcp", body, headers)
    response = connection.getresponse()
    text = response.read().decode()
    if response.status != 200:
        raise RuntimeError(f"{response.status}: {text[:200]}")
    result = answer(text)["result"]
    if result.get("isError"):
        raise RuntimeError(str(result["content"])[:200])


def answer(text: str) -> dict:
    """The answer, as JSON or as the last event of a stream that has an id."""
    if text.lstrip().startswith("{"):
        return json.loads(text)
    events = [json.loads(line[5:]) for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
    return [event for event in events if "id" in event][-1]


def resident_mb(pid: int) -> float:
    """What a process has in memory now."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0
