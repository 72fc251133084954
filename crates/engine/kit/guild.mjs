// What a tool in Node needs, without installing anything: `import { tool } from "/kit/guild.mjs";`.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** The whole request: version, tool, payload, agent, session, skill, hash. */
export const request = () => JSON.parse(readFileSync("/input/request.json", "utf8"));

/** Answers with an object. */
export const answer = (value) => writeFileSync("/output/response.json", JSON.stringify(value));

/** Calls a function with the payload and answers with what it gives. A tool that is kept warm is called again for every line. */
export async function tool(run) {
  if (process.env.GUILD_WARM !== "1") {
    const asked = request();
    answer(await run(asked.payload, asked));
    return;
  }
  for await (const line of createInterface({ input: process.stdin })) {
    let told;
    try {
      const asked = JSON.parse(line);
      told = { answer: await run(asked.payload, asked) };
    } catch (error) {
      told = { error: String(error) };
    }
    process.stdout.write(JSON.stringify(told) + "\n");
  }
}
