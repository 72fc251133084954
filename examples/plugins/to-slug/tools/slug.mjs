// Makes a name that fits an address out of a title.
import { readFileSync, writeFileSync } from "node:fs";

const { payload } = JSON.parse(readFileSync("/input/request.json", "utf8"));
const plain = payload.title.normalize("NFD").replace(/[\u0300-\u036f]/g, "");
const slug = plain.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
writeFileSync("/output/response.json", JSON.stringify({ slug }));
