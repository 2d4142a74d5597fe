// Uses the client of OpenAI for responses, and OpenAI's agents, as their documentation does. Prints what openai.mjs prints.
//
//   node responses.mjs BASE_URL API_KEY
import assert from "node:assert/strict";
import { Agent, run, setDefaultOpenAIClient, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";

const [baseURL, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const model = "replay";
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const tools = [{ type: "function", name: "get_weather", description: "Weather", strict: true, parameters }];
const both = "Weather in Oslo and Bergen?";
const event = zodTextFormat(z.object({ name: z.string(), date: z.string(), participants: z.array(z.string()) }), "event");

// fails returns the error that a promise ends with.
const fails = (promise) => promise.then(() => assert.fail("it did not fail"), (e) => e);

// calls returns the calls of a response.
const calls = (r) => r.output.filter((item) => item.type === "function_call");

setDefaultOpenAIClient(client);
setTracingDisabled(true);
const agent = new Agent({
  name: "agent", instructions: "Help.", model,
  tools: [tool({ name: "get_weather", description: "Weather", parameters: z.object({ city: z.string() }), execute: async (a) => "5 degrees in " + a.city })],
});

const tests = {
  async response() {
    const r = await client.responses.create({ model, input: "Please count.", reasoning: { effort: "low", summary: "auto" } });
    assert.match(r.output_text, /^one, two, .*ten\.$/);
    assert.deepEqual(r.output.map((item) => item.type), ["reasoning", "message"]);
    assert.equal(r.output[0].content[0].text, "I count from one to ten.");
    assert.equal(r.status, "completed");
    assert.ok(r.usage.total_tokens > 0 && r.usage.output_tokens_details.reasoning_tokens > 0);
  },
  async stream() {
    const s = client.responses.stream({ model, input: "Please count." });
    let text = "", number = -1;
    s.on("response.output_text.delta", (e) => assert.equal(e.snapshot, (text += e.delta)));
    for await (const e of s) assert.equal(e.sequence_number, ++number);
    const r = await s.finalResponse();
    assert.equal(r.output_text, text);
    assert.match(text, /^one, two, .*ten\.$/);
  },
  async "parallel calls"() {
    const s = client.responses.stream({ model, input: both, tools });
    const done = [];
    s.on("response.function_call_arguments.done", (e) => done.push(e.name + " " + e.arguments));
    s.on("response.function_call_arguments.delta", (e) => assert.ok(e.snapshot.endsWith(e.delta)));
    const streamed = await s.finalResponse();
    assert.deepEqual(done, ['get_weather {"city": "Oslo"}', 'get_weather {"city": "Bergen"}']);
    assert.deepEqual(calls(streamed).map((c) => c.parsed_arguments.city), ["Oslo", "Bergen"]);
    const whole = await client.responses.parse({ model, input: both, tools });
    assert.deepEqual(calls(whole).map((c) => c.parsed_arguments.city), ["Oslo", "Bergen"]);
    assert.equal(new Set(calls(whole).flatMap((c) => [c.id, c.call_id])).size, 4);
  },
  async "structured output"() {
    const input = "Extract the event: Alice and Bob go to a science fair on Friday.";
    for (const r of [await client.responses.parse({ model, input, text: { format: event } }), await client.responses.stream({ model, input, text: { format: event } }).finalResponse()])
      assert.deepEqual(r.output_parsed, { name: "Science Fair", date: "Friday", participants: ["Alice", "Bob"] });
  },
  async "a tool loop without a store"() {
    const input = [{ role: "user", content: "Weather in Oslo?" }];
    const include = ["reasoning.encrypted_content"];
    const first = await client.responses.create({ model, input, tools, include, store: false });
    assert.ok(first.output[0].encrypted_content);
    input.push(...first.output, { type: "function_call_output", call_id: calls(first)[0].call_id, output: "5 degrees" });
    const second = await client.responses.create({ model, input, tools, include, store: false });
    assert.equal(second.output_text, "The answer is: 5 degrees");
  },
  async "a tool loop with a store"() {
    const first = await client.responses.create({ model, input: "Weather in Oslo?", tools });
    const second = await client.responses.create({ model, previous_response_id: first.id, tools, input: [{ type: "function_call_output", call_id: calls(first)[0].call_id, output: "6 degrees" }] });
    assert.equal(second.output_text, "The answer is: 6 degrees");
    assert.deepEqual((await client.responses.retrieve(first.id)).output, first.output);
    const items = [];
    for await (const item of client.responses.inputItems.list(first.id)) items.push(item);
    assert.equal(items[0].content[0].text, "Weather in Oslo?");
    await client.responses.delete(first.id);
    assert.ok((await fails(client.responses.retrieve(first.id))) instanceof OpenAI.NotFoundError);
  },
  async "custom tools and namespaces"() {
    const free = { type: "custom", name: "apply_patch", description: "Changes files." };
    const spaced = [{ type: "namespace", name: "town", description: "Towns.", tools: [{ ...tools[0], name: "other" }] }, { type: "web_search" }, free];
    const s = client.responses.stream({ model, input: "Patch it.", tools: spaced });
    let input = "";
    for await (const e of s) if (e.type === "response.custom_tool_call_input.delta") input += e.delta;
    const call = (await s.finalResponse()).output.at(-1);
    assert.equal(call.type, "custom_tool_call");
    assert.match(call.input, /^\*\*\* Begin Patch\n.*\n\+Grüß "Gott"\n/);
    assert.equal(call.input, input);
    const r = await client.responses.create({ model, tools: spaced, input: [{ role: "user", content: "Patch it." }, call, { type: "custom_tool_call_output", call_id: call.call_id, output: "Done." }] });
    assert.equal(r.output_text, "The answer is: Done.");
  },
  async limits() {
    const r = await client.responses.stream({ model, max_output_tokens: 3, input: "Please count." }).finalResponse();
    assert.equal(r.status, "incomplete");
    assert.equal(r.incomplete_details.reason, "max_output_tokens");
  },
  async errors() {
    let e = await fails(client.responses.create({ model: "nothing", input: "Hi" }));
    assert.ok(e instanceof OpenAI.NotFoundError && e.code === "model_not_found" && e.param === "model", e);
    e = await fails(client.responses.create({ model, stream: true, input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }] }));
    assert.ok(e instanceof OpenAI.BadRequestError && e.param === "input[0].content[0].type" && e.requestID, e);
    e = await fails(client.responses.create({ model, previous_response_id: "resp_x", input: "Hi" }));
    assert.ok(e instanceof OpenAI.BadRequestError && e.param === "previous_response_id", e);
  },
  async abort() {
    const s = client.responses.stream({ model, input: "Please count." });
    s.on("response.reasoning_text.delta", () => s.abort());
    assert.ok((await fails(s.finalResponse())) instanceof OpenAI.APIUserAbortError);
  },
  async agents() {
    const whole = await run(agent, "Weather in Oslo?");
    assert.equal(whole.finalOutput, "The answer is: 5 degrees in Oslo");
    const streamed = await run(agent, both, { stream: true });
    const seen = [];
    for await (const e of streamed) if (e.type === "run_item_stream_event") seen.push(e.name);
    assert.match(streamed.finalOutput, /^The answer is: 5 degrees in (Oslo|Bergen)$/);
    assert.deepEqual(seen.filter((name) => name.startsWith("tool")), ["tool_called", "tool_called", "tool_output", "tool_output"]);
    assert.ok(streamed.state.usage.totalTokens > 0);
  },
};

for (const [name, test] of Object.entries(tests)) {
  const error = await test().then(() => "", (e) => String(e.stack ?? e));
  console.log(JSON.stringify({ name, error }));
}
