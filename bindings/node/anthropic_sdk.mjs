// The binding for Anthropic's Node SDK: Messages, whole and through the stream helper. No other API, no beta.
import Anthropic from "@anthropic-ai/sdk";
import { serve, version, wire } from "./serve.mjs";

const sdk = new Anthropic({ apiKey: "unused" });
const api = "anthropic-messages";

const asked = (call) => ({
  model: call.model,
  messages: [{ role: "user", content: call.prompt }],
  max_tokens: call.max_tokens ?? 1024, // the API refuses a request without a cap
  ...(call.stop !== undefined && { stop_sequences: [call.stop].flat() }),
  ...(call.tools && {
    tools: call.tools.map((t) => ({ name: t.name, description: t.description, input_schema: t.parameters })),
  }),
  ...(call.tool_choice && { tool_choice: { type: "tool", name: call.tool_choice } }),
});
const messages = (call) =>
  sdk.withOptions({ apiKey: call.api_key, baseURL: call.base_url, timeout: call.timeout * 1000 }).messages;

serve(
  { name: "anthropic-node", version: version("@anthropic-ai/sdk"), apis: [api] },
  async (call) => wire(api, await messages(call).create(asked(call))),
  async function* (call) {
    const stream = messages(call).stream(asked(call));
    const events = []; // copied when they come: the helper goes on writing into the message of message_start
    stream.on("streamEvent", (event) => events.push({ type: "chunk", api, payload: structuredClone(event) }));
    for await (const _ of stream) yield* events.splice(0);
    yield* events.splice(0);
    yield { type: "end", final: { wire: { api, payload: await stream.finalMessage() } } };
  },
);
