"""Runs one command and prints what it cost: a process of its own, started as `python3 -I -S stopwatch.py`.

The kernel counts what a child costs between its making and exec as the child's. A copy of this process would cost more than the start of a
small command, so the child borrows its memory until then, which is what `posix_spawn` does.
"""

import posix
import sys
import time


def main(stdout: str, argv: list[str]) -> None:
    """Prints wall seconds, CPU seconds, peak kilobytes and exit status of `argv`, its output going to `stdout`."""
    target = (posix.POSIX_SPAWN_OPEN, 1, stdout, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC, 0o644)
    started = time.perf_counter()
    try:
        pid = posix.posix_spawn(argv[0], argv, posix.environ, file_actions=[target])
    except OSError as error:
        posix.write(2, f"{argv[0]}: {error}\n".encode())
        print(0, 0, 0, 127)
        return
    _, status, usage = posix.wait4(pid, 0)
    wall = time.perf_counter() - started
    print(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, posix.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
