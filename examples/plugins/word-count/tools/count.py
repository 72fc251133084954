"""Counts the words of a text: the request is a file, the answer is one too."""

import json

with open("/input/request.json") as file:
    request = json.load(file)
words = len(request["payload"]["text"].split())
with open("/output/response.json", "w") as file:
    json.dump({"words": words, "text": f"{words} words"}, file)
