// Uses the client of Anthropic as its documentation does. Prints what openai.mjs prints.
//
//   node anthropic.mjs BASE_URL API_KEY
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";

const [base, apiKey] = process.argv.slice(2);
const baseURL = base.replace(/\/v1$/, ""), maxRetries = 0;
const client = new Anthropic({ baseURL, apiKey, maxRetries });
const asks = (content) => [{ role: "user", content }];
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const tools = [{ name: "get_weather", description: "Weather", input_schema: schema }];
const params = { model: "replay", max_tokens: 2000 };
const thinking = { type: "enabled", budget_tokens: 1024 };

// fails returns the error that a promise ends with.
const fails = (promise) => promise.then(() => assert.fail("it did not fail"), (e) => e);

const types = (message) => message.content.map((b) => b.type);

// answers returns the turn of the user that answers the calls of a message.
const answers = (message) => ({ role: "user", content: message.content.filter((b) => b.type === "tool_use").map((b) => ({ type: "tool_result", tool_use_id: b.id, content: "5 degrees in " + b.input.city })) });

const tests = {
  async message() {
    const m = await client.messages.create({ ...params, messages: asks("Please count.") });
    assert.deepEqual(types(m), ["text"]);
    assert.match(m.content[0].text, /^one, two, .*ten\.$/);
    assert.equal(m.stop_reason, "end_turn");
    assert.ok(m.usage.input_tokens > 0 && m.usage.output_tokens > 0 && m._request_id);
  },
  async stream() {
    const s = client.messages.stream({ ...params, thinking, messages: asks("Please count.") });
    let text = "", thought = "", signed = 0;
    s.on("text", (t) => (text += t)).on("thinking", (t) => (thought += t)).on("signature", () => signed++);
    const m = await s.finalMessage();
    assert.deepEqual(types(m), ["thinking", "text"]);
    assert.equal(thought, "I count from one to ten.");
    assert.equal(m.content[0].thinking, thought);
    assert.equal(m.content[1].text, text);
    assert.equal(signed, 1);
    assert.ok(m.usage.output_tokens_details.thinking_tokens > 0);
  },
  async events() {
    const kinds = [];
    for await (const e of await client.messages.create({ ...params, messages: asks("Please count."), stream: true })) if (kinds.at(-1) !== e.type) kinds.push(e.type);
    assert.deepEqual(kinds, ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"]);
  },
  async "a tool loop with thinking"() {
    const messages = asks("Weather in Oslo and Bergen?");
    const first = await client.messages.stream({ ...params, thinking, tools, messages }).finalMessage();
    assert.deepEqual(types(first), ["thinking", "text", "tool_use", "tool_use"]);
    assert.equal(first.stop_reason, "tool_use");
    assert.deepEqual(first.content.slice(2).map((b) => b.input.city), ["Oslo", "Bergen"]);
    messages.push({ role: "assistant", content: first.content }, answers(first));
    const second = await client.messages.create({ ...params, thinking, tools, messages });
    assert.match(second.content.at(-1).text, /^The answer is: 5 degrees in /);
    messages[1].content[0].thinking = ""; // the signature is enough
    assert.equal((await client.messages.countTokens({ ...params, max_tokens: undefined, thinking, tools, messages })).input_tokens, second.usage.input_tokens);
  },
  async "the tool runner"() {
    const run = async ({ city }) => "5 degrees in " + city;
    for (const stream of [false, true]) {
      const m = await client.beta.messages.toolRunner({ ...params, stream, tools: [{ ...tools[0], run, parse: (a) => a }], messages: asks("Weather in Oslo?") }).runUntilDone();
      assert.equal(m.content[0].text, "The answer is: 5 degrees in Oslo");
    }
  },
  async "structured output"() {
    const properties = { name: { type: "string" }, date: { type: "string" }, participants: { type: "array", items: { type: "string" } } };
    const format = { type: "json_schema", schema: { type: "object", properties, required: Object.keys(properties), additionalProperties: false } };
    const m = await client.messages.create({ ...params, output_config: { format }, messages: asks("Extract the event: Alice and Bob go to a science fair on Friday.") });
    assert.deepEqual(JSON.parse(m.content[0].text), { name: "Science Fair", date: "Friday", participants: ["Alice", "Bob"] });
  },
  async limits() {
    const m = await client.messages.create({ ...params, max_tokens: 3, messages: asks("Please count.") });
    assert.equal(m.stop_reason, "max_tokens");
    const s = await client.messages.stream({ ...params, stop_sequences: ["four"], messages: asks("Please count.") }).finalMessage();
    assert.deepEqual([s.stop_reason, s.stop_sequence, s.content[0].text], ["stop_sequence", "four", "one, two, three, "]);
  },
  async tokens() {
    const count = async (more) => (await client.messages.countTokens({ model: "replay", messages: asks("Hi"), ...more })).input_tokens;
    const plain = await count({});
    assert.ok(plain > 0 && plain < (await count({ system: "Be brief." })) && plain < (await count({ tools })));
  },
  async errors() {
    let e = await fails(client.messages.create({ ...params, model: "nothing", messages: asks("Hi") }));
    assert.ok(e instanceof Anthropic.NotFoundError && e.error.error.type === "not_found_error" && e.requestID, e);
    e = await fails(client.messages.stream({ ...params, temperature: "hot", messages: asks("Hi") }).finalMessage());
    assert.ok(e instanceof Anthropic.BadRequestError && /temperature: expected a number/.test(e.message), e);
    e = await fails(new Anthropic({ baseURL, apiKey: "wrong", maxRetries }).messages.create({ ...params, messages: asks("Hi") }));
    assert.ok(e instanceof Anthropic.AuthenticationError, e);
    await new Anthropic({ baseURL, apiKey: null, authToken: apiKey, maxRetries }).messages.create({ ...params, messages: asks("Hi") });
  },
  async abort() {
    const s = client.messages.stream({ ...params, messages: asks("Please count.") });
    s.on("text", () => s.abort());
    assert.ok((await fails(s.done())) instanceof Anthropic.APIUserAbortError);
  },
};

for (const [name, test] of Object.entries(tests)) {
  const error = await test().then(() => "", (e) => String(e.stack ?? e));
  console.log(JSON.stringify({ name, error }));
}
