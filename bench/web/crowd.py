"""Many readers at once while somebody writes: how many answers, how many errors, and what the server's memory does."""

import http.client
import os
import random
import statistics
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from visitor import Visitor

PATHS = ("/", "/skills", "/skills?page=7", "/skills?q=review", "/skills?q=deploy+release", "/runs", "/plugins", "/agents",
         "/api/v1/skills?limit=50", "/api/v1/receipts", "/api/v1/approvals", "/api/v1/search?q=changelog")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Crowd:
    """What became of it."""

    answers: int = 0
    writes: int = 0
    errors: list[str] = field(default_factory=list)
    waits_ms: list[float] = field(default_factory=list)
    # Megabytes that are resident, sampled every second.
    memory: list[float] = field(default_factory=list)

    def growth(self) -> float | None:
        """How much larger the last third is than the one before, as a share; the first third warms up."""
        third = len(self.memory) // 3
        if third == 0:
            return None
        middle, last = self.memory[third:2 * third], self.memory[-third:]
        return statistics.median(last) / statistics.median(middle) - 1


def resident(pid: int) -> float:
    """Megabytes of a process that are in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE / 1e6


def gather(person: Visitor, pid: int, readers: int, seconds: float, write) -> Crowd:
    """So many readers for so long; `write` is called over and over meanwhile."""
    crowd, lock, over = Crowd(), threading.Lock(), threading.Event()

    def read(number: int) -> None:
        visitor, choose = person.again(), random.Random(number)
        while not over.is_set():
            path = choose.choice(PATHS)
            start = time.perf_counter()
            try:
                response, _ = visitor.ask("GET", path)
                complaint = "" if response.status == 200 else f"{path}: {response.status}"
            except (OSError, http.client.HTTPException) as error:
                complaint = f"{path}: {error!r}"
            taken = (time.perf_counter() - start) * 1000
            with lock:
                crowd.answers += 1
                crowd.waits_ms.append(taken)
                if complaint:
                    crowd.errors.append(complaint)

    def keep_writing() -> None:
        while not over.is_set():
            try:
                write()
                crowd.writes += 1
            except (OSError, RuntimeError, http.client.HTTPException) as error:
                with lock:
                    crowd.errors.append(f"write: {error}")
            over.wait(0.2)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(readers)]
    threads.append(threading.Thread(target=keep_writing))
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        crowd.memory.append(resident(pid))
        time.sleep(1)
    over.set()
    for thread in threads:
        thread.join()
    return crowd
