"""A board of notes as an MCP server over standard input and output, with nothing but the standard library."""

import json
import os
import sys

NOTES = os.environ["NOTES"]
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
COUNT = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
LIST = {"type": "object", "properties": {"notes": {"type": "array", "items": {"type": "string"}}}, "required": ["notes"]}
TOOLS = [
    {"name": "pin", "description": "Pin a note to the board", "inputSchema": TEXT, "outputSchema": COUNT},
    {
        "name": "read",
        "description": "Read the notes on the board",
        "inputSchema": {"type": "object"},
        "outputSchema": LIST,
        "annotations": {"readOnlyHint": True},
    },
]


def notes():
    if not os.path.exists(NOTES):
        return []
    with open(NOTES, encoding="utf-8") as file:
        return json.load(file)


def pin(given):
    kept = notes() + [given["text"]]
    with open(NOTES + ".new", "w", encoding="utf-8") as file:
        json.dump(kept, file)
    os.replace(NOTES + ".new", NOTES)
    return {"count": len(kept)}, f"{len(kept)} on the board"


def read(_):
    kept = notes()
    return {"notes": kept}, "\n".join(kept)


def answer(method, params):
    if method == "initialize":
        version = params.get("protocolVersion", "2025-06-18")
        info = {"name": "board", "version": "1.0.0"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        done, text = {"pin": pin, "read": read}[params["name"]](params.get("arguments") or {})
        return {"content": [{"type": "text", "text": text}], "structuredContent": done}
    if method == "ping":
        return {}
    raise LookupError(method)


for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    told = {"jsonrpc": "2.0", "id": asked["id"]}
    try:
        told["result"] = answer(asked["method"], asked.get("params") or {})
    except LookupError as error:
        told["error"] = {"code": -32601, "message": f"there is no {error}"}
    print(json.dumps(told), flush=True)
