"""How a malicious skill works, as its text shows: told by marks that are no scanner's rules."""

import re
from pathlib import Path

MARKS = (
    ("encoded command", r"base64\s+(-d|-D|--decode)\b|frombase64string|-enc(odedcommand)?\s"),
    ("locked archive", r"(\.zip|\.rar|\.7z|\.exe|archive)[\s\S]{0,200}\b(pass|password)\b|extract using|extract with pass"),
    ("page with commands", r"(glot\.io|rentry\.|pastebin|paste\.)[\s\S]{0,200}\b(command|terminal)"),
    ("active content", r"<script|onload\s*=|<svg"),
    ("credentials sent", r"(\.env|\.ssh|credentials|cookies|environ|wallet)[\s\S]{0,600}(https?://|webhook|curl|post)"),
    ("download executed", r"(curl|wget)[^\n]*\|\s*(sudo\s+)?(ba|z)?sh\b|\$\((curl|wget)"),
)


def family(path: Path) -> str:
    """The first family whose mark a skill's Markdown bears."""
    text = "\n".join(file.read_text(errors="replace") for file in sorted(path.rglob("*.md")))
    for name, mark in MARKS:
        if re.search(mark, text, re.IGNORECASE):
            return name
    return "nothing in the text"
