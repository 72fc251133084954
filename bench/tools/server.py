"""The tool as an MCP server, with nothing but the standard library."""

import json
import sys

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOL = {"name": "count", "description": "Count words.", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}}


def answer(method, params):
    if method == "initialize":
        info = {"name": "words", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [TOOL]}
    words = {"words": len(params["arguments"]["text"].split())}
    return {"content": [{"type": "text", "text": json.dumps(words)}], "structuredContent": words}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] in ("initialize", "tools/list", "tools/call"):
        told = {"result": answer(asked["method"], asked.get("params") or {})}
    else:
        told = {"error": {"code": -32601, "message": "there is no such method"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **told}), flush=True)
