"""A client of one MCP server over standard input and output, and how long each call takes it."""

import json
import subprocess
import threading
import time


class Client:
    """Speaks to a server in the era with a handshake. One that takes longer than `patience` seconds for an answer is ended."""

    def __init__(self, command: list[str], env: dict[str, str] | None = None, cwd=None, patience: float = 600):
        self.patience = patience
        self.deadline = None
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True, env=env, cwd=cwd)
        threading.Thread(target=self.guard, daemon=True).start()
        self.number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.hello = self.ask("initialize", hello)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def say(self, message: dict) -> None:
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

    def ask(self, method: str, params: dict) -> dict:
        self.number += 1
        self.deadline = time.monotonic() + self.patience
        try:
            return self.answer(method, params)
        finally:
            self.deadline = None

    def guard(self) -> None:
        """Ends a server that takes too long. One thread looks after all calls: one for each would be part of what is measured."""
        while self.server.poll() is None:
            deadline = self.deadline
            if deadline and time.monotonic() > deadline:
                self.server.kill()
            time.sleep(min(self.patience, 1) / 5)

    def answer(self, method: str, params: dict) -> dict:
        begin = time.monotonic()
        self.say({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for line in self.server.stdout:
            told = json.loads(line)
            if told.get("id") == self.number and "method" not in told:
                if "error" in told:
                    raise RuntimeError(told["error"]["message"])
                return told["result"]
        took = time.monotonic() - begin
        raise RuntimeError(f"no answer to {method} in {took:.0f} s" if took >= self.patience else "the server has ended")

    def call(self, tool: str, arguments: dict) -> dict:
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(str(result.get("content")))
        return result

    def close(self) -> None:
        self.server.stdin.close()
        try:
            self.server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()


def timed(work, rounds: int) -> list[float]:
    """Milliseconds that each of so many turns takes, after two that are not counted."""
    taken = []
    for turn in range(rounds + 2):
        start = time.perf_counter()
        work()
        if turn >= 2:
            taken.append((time.perf_counter() - start) * 1000)
    return taken
