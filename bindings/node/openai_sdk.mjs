// The binding for OpenAI's Node SDK: Chat Completions and Responses, as a user calls them. Nothing of other APIs.
import OpenAI from "openai";
import { serve, version, wire } from "./serve.mjs";

const sdk = new OpenAI({ apiKey: "unused" });
const functions = (call) => (call.tools ?? []).map(({ name, description, parameters }) => ({ name, description, parameters }));

const chat = (call) => ({
  model: call.model,
  messages: [{ role: "user", content: call.prompt }],
  ...(call.stop !== undefined && { stop: call.stop }),
  ...(call.max_tokens !== undefined && { max_completion_tokens: call.max_tokens }),
  ...(call.tools && { tools: functions(call).map((f) => ({ type: "function", function: f })) }),
  ...(call.tool_choice && { tool_choice: { type: "function", function: { name: call.tool_choice } } }),
});
const responses = (call) => ({
  model: call.model,
  input: call.prompt,
  ...(call.stop !== undefined && { stop: call.stop }), // no such parameter: what the vendor says to it is its user's to see
  ...(call.max_tokens !== undefined && { max_output_tokens: call.max_tokens }),
  ...(call.tools && { tools: functions(call).map((f) => ({ type: "function", ...f })) }),
  ...(call.tool_choice && { tool_choice: { type: "function", name: call.tool_choice } }),
});
function create(call, options = {}) {
  const client = sdk.withOptions({ apiKey: call.api_key, baseURL: call.base_url + "/v1", timeout: call.timeout * 1000 });
  if (call.api === "openai-responses") return client.responses.create({ ...responses(call), ...options });
  const usage = options.stream && { stream_options: { include_usage: true } };
  return client.chat.completions.create({ ...chat(call), ...options, ...usage });
}
serve(
  { name: "openai-node", version: version("openai"), apis: ["openai-chat", "openai-responses"] },
  async (call) => wire(call.api, await create(call)),
  async function* (call) {
    for await (const payload of await create(call, { stream: true })) yield { type: "chunk", api: call.api, payload };
  },
);
