"""Runs one command and prints what it cost: a process of its own, started as `python3 -I -S stopwatch.py`.

The kernel counts what a child costs between fork and exec as the child's: its memory is then the parent's.
A small parent therefore measures small children better, which is why this file imports next to nothing.
"""

import posix
import sys
import time


def main(stdout: str, argv: list[str]) -> None:
    """Prints wall seconds, CPU seconds, peak kilobytes and exit status of `argv`, its output going to `stdout`."""
    started = time.perf_counter()
    pid = posix.fork()
    if pid == 0:
        become(stdout, argv)
    _, status, usage = posix.wait4(pid, 0)
    wall = time.perf_counter() - started
    print(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, posix.waitstatus_to_exitcode(status))


def become(stdout: str, argv: list[str]) -> None:
    """Turns this (forked) process into the command; never returns."""
    try:
        target = posix.open(stdout, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC, 0o644)
        posix.dup2(target, 1)
        posix.execve(argv[0], argv, posix.environ)
    except OSError as error:
        posix.write(2, f"{argv[0]}: {error}\n".encode())
    posix._exit(127)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
