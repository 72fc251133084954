"""A worker: it has a module of tools loaded and answers call after call, each in a copy of itself that was made before the call came
and is gone after it. No part of what a plugin imports.

A line of JSON in, a line of JSON out, and a line that says when it is ready again: then every process but the worker is dead, and
nothing is left in the places that can be written. Where it cannot make sure of that it ends, and somebody starts another one.
"""

import ctypes
import gc
import json
import os
import resource
import select
import shutil
import signal

PLACES = ("/tmp", "/output")
LONGEST = 16 << 20
# Most requests and answers are shorter, and room for more has to be made each time.
PIECE = 1 << 12
COMPLAINT = 400
SET_DUMPABLE, SET_CHILD_SUBREAPER = 4, 36
SHM_INFO, MSG_INFO, SEM_INFO = 14, 12, 19
# Where the kernel counts sets of semaphores in what it tells of them.
SEM_SETS = 7
LIBC = ctypes.CDLL(None, use_errno=True)


def serve(call, rehearse):
    """Answers for as long as somebody asks. After a process was copied, what either side does for the first time is slow, since its
    memory is parted then; so both rehearse before anybody asks."""
    guard(0)
    prctl(SET_CHILD_SUBREAPER, 1)
    # Queues of messages would stay, and nobody can list them.
    resource.setrlimit(resource.RLIMIT_MSGQUEUE, (0, 0))
    modes = {place: os.stat(place).st_mode for place in PLACES}
    gc.freeze()
    while True:
        copy = Copy(call, rehearse)
        read_back(b"{}\n")
        write(1, b'{"ready": true}\n')
        request = line_of(0)
        if not request:
            return
        write(1, copy.answer(request))
        alone()
        for place, mode in modes.items():
            empty(place, mode)
        if has_shared():
            return


class Copy:
    """A process that waits for one request."""

    def __init__(self, call, rehearse):
        asked, self.ask = os.pipe()
        self.told, tell = os.pipe()
        # What it prints is told where it fails; a file cannot be full as a pipe can.
        self.said = os.open(PLACES[0], os.O_TMPFILE | os.O_RDWR, 0o600)
        self.process = os.fork()
        if self.process == 0:
            become(asked, tell, self.said, [self.ask, self.told])
            answer_once(call, rehearse, asked, tell)
        os.close(asked)
        os.close(tell)

    def answer(self, request):
        """What it answers to a request, or why it does not."""
        try:
            write(self.ask, request)
        except BrokenPipeError:
            pass
        os.close(self.ask)
        answer = self.heard()
        os.close(self.told)
        told = answer if answer.endswith(b"\n") else self.failure()
        os.close(self.said)
        return told

    def heard(self):
        heard, ended = bytearray(), False
        poll = select.poll()
        poll.register(self.told, select.POLLIN)
        while not heard.endswith(b"\n") and len(heard) <= LONGEST:
            if poll.poll(0 if ended else 50):
                piece = os.read(self.told, PIECE)
                if not piece:
                    break
                heard += piece
            elif ended:
                break
            else:
                # Somebody whom it has started may hold the pipe open.
                ended = os.waitid(os.P_PID, self.process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return bytes(heard)

    def failure(self):
        size = os.fstat(self.said).st_size
        said = os.pread(self.said, COMPLAINT, max(0, size - COMPLAINT)).decode("utf-8", "replace").strip()
        why = "it ended before it had answered" + (f"; it said: {said}" if said else "")
        return json.dumps({"error": why}).encode() + b"\n"


def become(asked, tell, said, others):
    """Leaves everything to the worker that is the worker's."""
    for one in others:
        os.close(one)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(said, 1)
    os.dup2(said, 2)
    os.close(nothing)
    os.close(said)
    prctl(SET_CHILD_SUBREAPER, 0)
    guard(1)


def answer_once(call, rehearse, asked, tell):
    status = 1
    try:
        rehearse()
        read_back(b"{}\n")
        request = line_of(asked)
        os.close(asked)
        if request:
            write(tell, call(request))
            status = 0
    finally:
        os._exit(status)


def read_back(line):
    """Asks itself, so that nothing about being asked is new."""
    asked, ask = os.pipe()
    write(ask, line)
    line_of(asked)
    os.close(asked)
    os.close(ask)


def alone():
    """Ends every other process, and waits until it is gone."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def has_shared():
    """Whether there is memory, a semaphore or a queue that belongs to no process; it stays until somebody removes it."""
    facts = (ctypes.c_int * 64)()
    if LIBC.shmctl(0, SHM_INFO, facts) < 0 or facts[0] != 0:
        return True
    if LIBC.msgctl(0, MSG_INFO, facts) < 0 or facts[0] != 0:
        return True
    return LIBC.semctl(0, 0, SEM_INFO, facts) < 0 or facts[SEM_SETS] != 0


def empty(place, mode):
    """Removes everything from a place, what was noted on the place itself included."""
    os.chmod(place, mode & 0o7777)
    for entry in list(os.scandir(place)):
        if entry.is_dir(follow_symlinks=False):
            remove(entry.path)
        else:
            os.unlink(entry.path)
    for name in os.listxattr(place):
        os.removexattr(place, name)


def remove(directory):
    """Removes a directory, those included that nobody was to enter."""
    os.chmod(directory, 0o700)
    for path, names, _ in os.walk(directory):
        for name in names:
            if not os.path.islink(os.path.join(path, name)):
                os.chmod(os.path.join(path, name), 0o700)
    shutil.rmtree(directory)


def line_of(file):
    """The line that somebody writes; less than one where they have gone."""
    read = bytearray()
    while not read.endswith(b"\n"):
        piece = os.read(file, PIECE)
        if not piece:
            return b""
        read += piece
    return bytes(read)


def write(file, text):
    view = memoryview(text)
    while view:
        view = view[os.write(file, view) :]


def guard(value):
    """Whether others may look into the memory of this process."""
    prctl(SET_DUMPABLE, value)


def prctl(option, value):
    if LIBC.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
