// The binding for Vercel's AI SDK: generateText and streamText on four APIs. The tools have no code to run.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, streamText, tool } from "ai";
import { serve, version, warn } from "./serve.mjs";
const openai = ({ base_url, api_key }) => createOpenAI({ baseURL: base_url + "/v1", apiKey: api_key });
const models = {
  "openai-chat": (c) => openai(c).chat(c.model),
  "openai-responses": (c) => openai(c).responses(c.model),
  "anthropic-messages": (c) => createAnthropic({ baseURL: c.base_url + "/v1", apiKey: c.api_key })(c.model),
  gemini: (c) => createGoogleGenerativeAI({ baseURL: c.base_url + "/v1beta", apiKey: c.api_key })(c.model),
};
globalThis.AI_SDK_LOG_WARNINGS = ({ warnings }) => warnings.forEach((w) => warn(JSON.stringify(w))); // it logs them
const declare = (t) => [t.name, tool({ description: t.description, inputSchema: jsonSchema(t.parameters) })];
const asked = (c) => ({ model: models[c.api](c), prompt: c.prompt, timeout: c.timeout * 1000, maxOutputTokens: c.max_tokens,
  stopSequences: c.stop && [c.stop].flat(), tools: c.tools && Object.fromEntries(c.tools.map(declare)),
  toolChoice: c.tool_choice && { type: "tool", toolName: c.tool_choice } });
const vocabulary = { stop: "complete", length: "truncated", "content-filter": "blocked", "tool-calls": "tool_call",
  error: "failed", interrupted: "unknown", other: "unknown" }; // interrupted: no completion signal of the provider came
const texts = { "text-delta": "text", "reasoning-delta": "thinking" };
const own = (t) => !t.providerExecuted; // what the provider runs itself is no call to make
const made = (t) => ({ id: t.toolCallId, name: t.toolName, arguments: t.input });
const ending = ({ finishReason: reason, rawFinishReason: raw_reason = null, totalUsage: u }, meta) =>
  ({ reason, raw_reason, stop_sequence: meta?.anthropic?.stopSequence ?? null, usage: { input_tokens: u.inputTokens ?? null, output_tokens: u.outputTokens ?? null } });
serve({ name: "vercel-ai", version: version("ai"), apis: Object.keys(models), vocabulary }, async (call) => {
  const r = await generateText(asked(call));
  const tool_calls = r.toolCalls.filter(own).map(made);
  return { reply: { text: r.text, thinking: r.reasoningText ?? "", tool_calls, ...ending(r, r.providerMetadata) } };
}, async function* (call) {
  let meta, error, index = 0;
  for await (const p of streamText({ ...asked(call), onError() {} }).fullStream) {
    if (p.type in texts) yield { type: texts[p.type], text: p.text };
    if (p.type === "tool-call" && own(p)) yield { type: "tool_call", index: index++, ...made(p) };
    if (p.type === "finish-step") meta = p.providerMetadata;
    if (p.type === "error") yield { type: "error", message: String((error = p.error)?.message ?? error), kind: error?.name };
    if (p.type === "finish" && p.finishReason !== "error") return yield { type: "end", ...ending(p, meta) };
  }
  if (error) throw error; // an error is an item, and ends the stream only where `finish` says so or does not come
});
