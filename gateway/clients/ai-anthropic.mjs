// Uses Vercel's AI SDK with its provider for Anthropic, as its documentation does. It sends thinking back with its signature. Prints what
// openai.mjs prints.
//
//   node ai-anthropic.mjs BASE_URL API_KEY
import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const [baseURL, apiKey] = process.argv.slice(2);
const provider = createAnthropic({ baseURL, apiKey });
const model = provider("replay"), maxRetries = 0, maxOutputTokens = 2000;
const providerOptions = { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } };
const tools = { get_weather: tool({ description: "Weather", inputSchema: z.object({ city: z.string() }), execute: async (a) => "5 degrees in " + a.city }) };

const tests = {
  async text() {
    const r = await generateText({ model, maxRetries, maxOutputTokens, prompt: "Please count." });
    assert.match(r.text, /^one, two, .*ten\.$/);
    assert.equal(r.reasoningText, undefined);
    assert.equal(r.finishReason, "stop");
    assert.ok(r.usage.inputTokens > 0 && r.usage.outputTokens > 0);
  },
  async "a tool loop"() {
    const r = await generateText({ model, maxRetries, maxOutputTokens, providerOptions, tools, stopWhen: stepCountIs(3), prompt: "Weather in Oslo?" });
    assert.equal(r.text, "The answer is: 5 degrees in Oslo");
    assert.equal(r.steps[0].reasoningText, "They want the weather, and there is a tool for that.");
  },
  async "a streamed tool loop"() {
    const r = streamText({ model, maxRetries, maxOutputTokens, providerOptions, tools, stopWhen: stepCountIs(3), prompt: "Weather in Oslo and Bergen?" });
    for await (const e of r.fullStream) if (e.type === "error") throw e.error;
    const steps = await r.steps;
    assert.deepEqual(steps[0].toolCalls.map((c) => c.input.city), ["Oslo", "Bergen"]);
    assert.equal(steps[0].finishReason, "tool-calls");
    assert.match(await r.text, /^The answer is: 5 degrees in (Oslo|Bergen)$/);
    assert.ok(steps[0].reasoning[0].providerMetadata.anthropic.signature);
  },
  async error() {
    const e = await generateText({ model: provider("nothing"), maxRetries, prompt: "Hi" }).then(() => assert.fail("it did not fail"), (e) => e);
    assert.equal(e.statusCode, 404);
    assert.match(e.message, /no engine serves the model "nothing"/);
  },
};

for (const [name, test] of Object.entries(tests)) {
  const error = await test().then(() => "", (e) => String(e.stack ?? e));
  console.log(JSON.stringify({ name, error }));
}
