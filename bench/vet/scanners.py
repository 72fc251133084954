"""The scanners: each says which of many skills it would refuse, and how long that took.

A scanner that cannot be installed or fails is a result ("absent" and why), never a failure of the benchmark.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from corpus import Item

# So long a scanner may take for all skills; one that takes longer is a result too.
PATIENCE = 3600

# The versions that are compared; change them here and nowhere else.
CISCO = "cisco-ai-skill-scanner==2.3.2"
ATR = "agent-threat-rules@4.0.0"


@dataclass
class Run:
    """What one scanner said."""

    name: str
    refused: set[Path] = field(default_factory=set)
    seconds: float = 0.0
    absent: str = ""


def guild(program: Path, items: list[Item]) -> Run:
    """`guild vet`, with a home and a cache of its own."""
    run = Run("guild vet")
    with tempfile.TemporaryDirectory(prefix="guild-bench-") as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"]}
        start = time.monotonic()
        for chunk in chunks([str(item.path) for item in items], 200):
            done = subprocess.run([program, "-C", home, "vet", "--json", *chunk], env=environment, capture_output=True, text=True)
            if done.returncode not in (0, 1, 3):
                raise SystemExit(f"guild failed: {done.stderr}")
            for skill in json.loads(done.stdout)["data"]["skills"]:
                if skill["verdict"] == "deny":
                    run.refused.add(Path(skill["path"]))
        run.seconds = time.monotonic() - start
    return owners(run, items)


def cisco(home: Path, items: list[Item]) -> Run:
    """Cisco's scanner, all of its static analysers; refused is what it calls not safe."""
    run = Run(f"cisco {CISCO.rpartition('=')[2]}")
    program = home / "cisco/bin/skill-scanner"
    if not program.exists():
        reason = failure([sys.executable, "-m", "venv", home / "cisco"]) or failure([home / "cisco/bin/pip", "install", "-q", CISCO])
        if reason:
            run.absent = reason
            return run

    def scan(directory: Path, scratch: Path) -> set[Path]:
        out = scratch / "out.json"
        words = [program, "scan-all", directory, "--recursive", "--use-behavioral", "--lenient", "--format", "json", "--output", out]
        environment = {**os.environ, "HOME": str(scratch)}
        subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        results = json.loads(out.read_text())["results"]
        return {Path(result["skill_path"]) for result in results if not result["is_safe"]}

    return linked(run, items, scan)


def atr(home: Path, items: list[Item]) -> Run:
    """Agent Threat Rules; refused is what it gives a match of high severity or more."""
    run = Run(f"atr {ATR.rpartition('@')[2]}")
    program = home / "atr/node_modules/.bin/atr"
    if not program.exists():
        (home / "atr").mkdir(parents=True, exist_ok=True)
        reason = failure(["npm", "install", "--silent", "--prefix", home / "atr", ATR])
        if reason:
            run.absent = reason
            return run

    def scan(directory: Path, scratch: Path) -> set[Path]:
        words = [program, "scan", directory, "--no-report", "--json"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
        refused = set()
        for result in json.loads(done.stdout)["results"]:
            if any(match["severity"] in ("high", "critical") for match in result["matches"]):
                refused.add(Path(result["file"]))
        return refused

    return linked(run, items, scan)


def linked(run: Run, items: list[Item], scan: Callable[[Path, Path], set[Path]]) -> Run:
    """Shows a scanner copies under numbers, so that no label stands in a path, and translates its answer."""
    with tempfile.TemporaryDirectory(prefix="guild-bench-") as scratch:
        shown = Path(scratch) / "skills"
        shown.mkdir()
        numbered = {}
        for number, item in enumerate(items):
            place = shown / f"s{number:05}"
            subprocess.run(["cp", "-r", item.path, place], check=True)
            numbered[place.name] = item.path
        start = time.monotonic()
        try:
            refused = scan(shown, Path(scratch))
        except (OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
            run.absent = f"failed: {error}"
            return run
        run.seconds = time.monotonic() - start
        for path in refused:
            place = path.relative_to(shown).parts[0]
            run.refused.add(numbered[place])
    return run


def owners(run: Run, items: list[Item]) -> Run:
    """From files to the labelled skills they lie in."""
    known = {item.path for item in items}
    run.refused = {next((parent for parent in path.parents if parent in known), path) for path in run.refused}
    return run


def chunks(words: list[str], size: int) -> list[list[str]]:
    return [words[at:at + size] for at in range(0, len(words), size)]


def failure(words: list) -> str:
    """Why a command failed; empty if it did not."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=900)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["failed"])[-1]
