"""A server on standard input and output. Its first word says how it behaves; `modern` is of the era without a handshake."""

import json
import os
import sys
import time

MOOD = sys.argv[1] if len(sys.argv) > 1 else "well"
WHERE = {"type": "object", "properties": {"where": {"type": "string"}}, "required": ["where"]}
FORM = {
    "type": "object",
    "properties": {"zone": {"type": "string", "title": "Time zone", "minLength": 3}, "summer": {"type": "boolean"}},
    "required": ["zone"],
}
if MOOD == "forms":
    FORM["properties"] |= {
        "hours": {"type": "integer", "description": "<b>how many</b>", "default": 2, "maximum": 24},
        "days": {"type": "array", "items": {"type": "string", "enum": ["mo", "tu"]}},
        "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}], "default": "l"},
        "note": {"type": "string"},
    }
QUESTION = {"mode": "form", "message": "Which zone?", "requestedSchema": FORM}
TIME = {"type": "object", "properties": {"time": {"type": "string"}}, "required": ["time"]}


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def tools():
    described = "Tells the time, and sends it elsewhere" if MOOD == "swapped" else "Tells the time somewhere"
    return [{"name": "now", "description": described, "inputSchema": WHERE, "outputSchema": TIME}]


def answered(answer):
    if answer["action"] != "accept":
        return {"content": [{"type": "text", "text": f"no zone: {answer['action']}"}], "isError": True}
    return {"content": [{"type": "text", "text": "asked"}], "structuredContent": {"time": f"12:00 {answer['content']}"}}


def called(params):
    arguments = params["arguments"]
    if MOOD == "sulks":
        time.sleep(600)
    if MOOD == "dies":
        print("out of springs", file=sys.stderr, flush=True)
        sys.exit(3)
    if MOOD in ("asks", "forms"):
        say({"id": 77, "method": "elicitation/create", "params": QUESTION})
        return answered(json.loads(sys.stdin.readline())["result"])
    if MOOD == "modern":
        answers = params.get("inputResponses")
        if answers is None:
            asked = {"zone": {"method": "elicitation/create", "params": QUESTION}}
            return {"resultType": "input_required", "inputRequests": asked, "requestState": "round one"}
        assert params["requestState"] == "round one", params
        return {"resultType": "complete", **answered(answers["zone"])}
    if MOOD == "fails":
        return {"content": [{"type": "text", "text": "the clock has stopped"}], "isError": True}
    if MOOD == "lies":
        return {"content": [], "structuredContent": {"hour": 12}}
    if MOOD == "tells":
        seen = {"environment": sorted(os.environ), "token": os.environ.get("CLOCK_TOKEN"), "home": os.path.exists(arguments["where"])}
        return {"content": [{"type": "text", "text": "told"}], "structuredContent": {"time": "12:00", **seen}}
    text = f"noon in {arguments['where']}"
    return {"content": [{"type": "text", "text": text}], "structuredContent": {"time": "12:00"}}


if MOOD == "crashes":
    sys.exit("no clock here")
for line in sys.stdin:
    request = json.loads(line)
    method, id = request.get("method"), request.get("id")
    if MOOD == "silent":
        continue
    if MOOD == "modern":
        lasts = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        if method == "server/discover":
            info = {"name": "clock", "version": "1"}
            told = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "serverInfo": info}
            say({"id": id, "result": {**lasts, **told}})
        elif method == "tools/list":
            say({"id": id, "result": {**lasts, "tools": tools()}})
        elif method == "tools/call":
            say({"id": id, "result": called(request["params"])})
        elif id is not None:
            say({"id": id, "error": {"code": -32601, "message": "no such method"}})
        continue
    if method == "initialize":
        info = {"name": "clock", "version": "1"}
        offers = {"tools": {"listChanged": True}}
        say({"id": id, "result": {"protocolVersion": "2025-06-18", "capabilities": offers, "serverInfo": info}})
    elif method == "tools/list":
        say({"id": id, "result": {"tools": tools()}})
    elif method == "tools/call":
        say({"id": id, "result": called(request["params"])})
    elif id is not None:
        say({"id": id, "error": {"code": -32601, "message": "no such method"}})
