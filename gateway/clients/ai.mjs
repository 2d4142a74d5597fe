// Uses Vercel's AI SDK, with its provider for servers that are compatible with OpenAI's, as its documentation does. It sends reasoning
// back as reasoning_content. Prints what openai.mjs prints.
//
//   node ai.mjs BASE_URL API_KEY
import assert from "node:assert/strict";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const [baseURL, apiKey] = process.argv.slice(2);
const provider = createOpenAICompatible({ name: "dragoman", baseURL, apiKey, includeUsage: true, supportsStructuredOutputs: true });
const model = provider("replay"), maxRetries = 0;
const tools = { get_weather: tool({ description: "Weather", inputSchema: z.object({ city: z.string() }), execute: async (a) => "5 degrees in " + a.city }) };

const tests = {
  async text() {
    const r = await generateText({ model, maxRetries, prompt: "Please count." });
    assert.match(r.text, /^one, two, .*ten\.$/);
    assert.equal(r.reasoningText, "I count from one to ten.");
    assert.equal(r.finishReason, "stop");
    assert.ok(r.usage.totalTokens > 0);
  },
  async "a streamed tool loop"() {
    const r = streamText({ model, maxRetries, tools, stopWhen: stepCountIs(3), prompt: "Weather in Oslo and Bergen?" });
    const seen = [];
    for await (const e of r.fullStream) {
      if (e.type === "error") throw e.error;
      if (["reasoning-end", "tool-call", "tool-result", "finish-step"].includes(e.type)) seen.push(e.type);
    }
    const steps = await r.steps;
    assert.deepEqual(steps[0].toolCalls.map((c) => c.input.city), ["Oslo", "Bergen"]);
    assert.equal(steps[0].finishReason, "tool-calls");
    assert.match(await r.text, /^The answer is: 5 degrees in (Oslo|Bergen)$/);
    assert.equal(seen.filter((t) => t === "reasoning-end").length, 2);
    assert.ok((await r.totalUsage).totalTokens > 0);
  },
  async "a tool loop"() {
    const r = await generateText({ model, maxRetries, tools, stopWhen: stepCountIs(3), prompt: "Weather in Oslo?" });
    assert.equal(r.text, "The answer is: 5 degrees in Oslo");
  },
  async object() {
    const schema = z.object({ name: z.string(), date: z.string(), participants: z.array(z.string()) });
    const r = await generateObject({ model, maxRetries, schema, prompt: "Extract the event: Alice and Bob go to a science fair on Friday." });
    assert.equal(r.object.participants.length, 2);
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
