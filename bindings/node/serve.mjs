// What the bindings in JavaScript share: a line of JSON in for each call, lines of JSON out. Nothing of a library.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const say = (id, line) => process.stdout.write(JSON.stringify({ id, ...line }) + "\n");
let asked; // the suite asks one at a time
export const warn = (text) => say(asked, { warning: text });
// A body that is no JSON comes out of the official SDKs as text or as nothing: who reads its fields finds none.
export const wire = (api, payload) => (typeof payload === "object" ? { wire: { api, payload } } : { reply: {} });

export function serve(who, complete, stream) {
  createInterface({ input: process.stdin }).on("line", async (text) => {
    const { id, hello, mode, call } = JSON.parse(text);
    asked = id;
    if (hello) return say(id, { hello: who });
    try {
      if (mode === "buffered") say(id, await complete(call));
      else for await (const part of stream(call)) say(id, { part });
      say(id, { done: true });
    } catch (error) {
      const status = error?.status ?? error?.statusCode;
      const kind = error?.constructor?.name ?? typeof error;
      say(id, { raised: { kind, message: String(error?.message ?? error), status: Number.isInteger(status) ? status : null } });
    }
  });
}

export const version = (name) =>
  JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), "utf8")).version;
