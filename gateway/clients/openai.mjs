// Uses the client of OpenAI as its documentation does. Prints a line of JSON for each test: its name, and its error if it fails.
//
//   node openai.mjs BASE_URL API_KEY
import assert from "node:assert/strict";
import OpenAI from "openai";

const [baseURL, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const model = "replay";
const asks = (content) => [{ role: "user", content }];
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const tools = [{ type: "function", function: { name: "get_weather", description: "Weather", strict: true, parameters } }];
const runnable = [{ type: "function", function: { name: "get_weather", parameters, parse: JSON.parse, function: async (a) => "5 degrees in " + a.city } }];
const event = { type: "object", properties: { name: { type: "string" }, date: { type: "string" }, participants: { type: "array", items: { type: "string" } } }, required: ["name", "date", "participants"], additionalProperties: false };
const response_format = { type: "json_schema", json_schema: { name: "event", strict: true, schema: event } };

// fails returns the error that a promise ends with.
const fails = (promise) => promise.then(() => assert.fail("it did not fail"), (e) => e);

const tests = {
  async models() {
    const ids = [];
    for await (const m of client.models.list()) ids.push(m.id);
    assert.deepEqual(ids, [model]);
    assert.equal((await client.models.retrieve(model)).id, model);
  },
  async chat() {
    const c = await client.chat.completions.create({ model, messages: asks("Please count.") });
    assert.match(c.choices[0].message.content, /^one, two, .*ten\.$/);
    assert.equal(c.choices[0].message.reasoning_content, "I count from one to ten.");
    assert.equal(c.choices[0].finish_reason, "stop");
    assert.ok(c.usage.total_tokens > 0 && c.usage.completion_tokens_details.reasoning_tokens > 0);
    assert.ok(c._request_id);
  },
  async chunks() {
    let content = "", reasoning = "", finish, usage;
    for await (const c of await client.chat.completions.create({ model, messages: asks("Please count."), stream: true, stream_options: { include_usage: true } })) {
      content += c.choices[0]?.delta.content ?? "";
      reasoning += c.choices[0]?.delta.reasoning_content ?? "";
      finish = c.choices[0]?.finish_reason ?? finish;
      usage = c.usage ?? usage;
    }
    assert.match(content, /^one, two, .*ten\.$/);
    assert.equal(reasoning, "I count from one to ten.");
    assert.equal(finish, "stop");
    assert.ok(usage.prompt_tokens > 0);
  },
  async "parallel calls"() {
    const s = client.chat.completions.stream({ model, messages: asks("Weather in Oslo and Bergen?"), tools, stream_options: { include_usage: true } });
    const done = [];
    s.on("tool_calls.function.arguments.done", (e) => done.push(e.name + " " + e.parsed_arguments.city));
    const c = await s.finalChatCompletion();
    assert.deepEqual(done, ["get_weather Oslo", "get_weather Bergen"]);
    assert.equal(c.choices[0].finish_reason, "tool_calls");
    assert.equal(new Set(c.choices[0].message.tool_calls.map((t) => t.id)).size, 2);
    assert.ok((await s.totalUsage()).total_tokens > 0);
    const whole = await client.chat.completions.create({ model, messages: asks("Weather in Oslo and Bergen?"), tools });
    assert.deepEqual(whole.choices[0].message.tool_calls.map((t) => JSON.parse(t.function.arguments).city), ["Oslo", "Bergen"]);
  },
  async "tool loop"() {
    for (const stream of [true, false]) {
      const r = client.chat.completions.runTools({ model, stream, messages: asks("Weather in Oslo?"), tools: runnable });
      assert.equal(await r.finalContent(), "The answer is: 5 degrees in Oslo");
    }
  },
  async "structured output"() {
    const c = await client.chat.completions.parse({ model, messages: asks("Extract the event: Alice and Bob go to a science fair on Friday."), response_format });
    assert.deepEqual(c.choices[0].message.parsed, { name: "Science Fair", date: "Friday", participants: ["Alice", "Bob"] });
  },
  async "several choices"() {
    const c = await client.chat.completions.create({ model, n: 3, messages: asks("Please count.") });
    assert.deepEqual(c.choices.map((x) => x.index), [0, 1, 2]);
    const s = await client.chat.completions.stream({ model, n: 3, messages: asks("Please count.") }).finalChatCompletion();
    assert.equal(s.choices.length, 3);
  },
  async limits() {
    const c = await client.chat.completions.create({ model, max_completion_tokens: 3, messages: asks("Please count.") });
    assert.equal(c.choices[0].finish_reason, "length");
    const s = await client.chat.completions.create({ model, stop: ["four"], messages: asks("Please count.") });
    assert.equal(s.choices[0].message.content, "one, two, three, ");
    const e = await fails(client.chat.completions.parse({ model, max_tokens: 3, messages: asks("Extract the event."), response_format }));
    assert.equal(e.constructor.name, "LengthFinishReasonError");
  },
  async errors() {
    let e = await fails(client.chat.completions.create({ model: "nothing", messages: asks("Hi") }));
    assert.ok(e instanceof OpenAI.NotFoundError && e.code === "model_not_found" && e.param === "model", e);
    e = await fails(client.chat.completions.create({ model, stream: true, temperature: "hot", messages: asks("Hi") }));
    assert.ok(e instanceof OpenAI.BadRequestError && e.param === "temperature" && e.requestID, e);
    e = await fails(new OpenAI({ baseURL, apiKey: "wrong", maxRetries: 0 }).models.list());
    assert.ok(e instanceof OpenAI.AuthenticationError && e.code === "invalid_api_key", e);
  },
  async abort() {
    const s = await client.chat.completions.create({ model, stream: true, messages: asks("Please count.") });
    for await (const c of s) if (c.choices[0].delta.reasoning_content) s.controller.abort();
    assert.ok(s.controller.signal.aborted);
  },
};

for (const [name, test] of Object.entries(tests)) {
  const error = await test().then(() => "", (e) => String(e.stack ?? e));
  console.log(JSON.stringify({ name, error }));
}
