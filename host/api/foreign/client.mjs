// Speaks to a daemon as a client in JavaScript does, over every protocol that it knows, and prints what it is told, one line of
// JSON a protocol.
//
//   node client.mjs URL DESCRIPTORS REQUEST OUTPUT
import { chats, protocols } from "./chats.mjs";

const [baseUrl, descriptors, request, output] = process.argv.slice(2);
const template = "chatml-json";
const options = { noIds: true };

async function* pieces() {
  yield { start: { template, request: { text: request }, options } };
  for (const letter of output) yield { chunk: { case: "text", value: letter } };
}

// Two outputs share a stream, a letter of each in every message.
async function* shared() {
  const of = (rest) => ({ outputs: [1n, 2n].map((output) => ({ output, ...rest })) });
  yield of({ message: { start: { template, request: { text: request }, options } } });
  for (const letter of output) yield of({ message: { chunk: { case: "text", value: letter } } });
  yield of({ end: true });
}

for (const protocol of protocols) {
  const client = chats(protocol, baseUrl, descriptors);
  const plan = await client.plan({ template, request: { text: request } });
  const whole = await client.parse({ template, request: { text: request }, output: { case: "text", value: output }, options });
  let chunks = 0;
  let last;
  for await (const m of client.parseStream(pieces())) {
    if (m.chunk) chunks++;
    last = m.result;
  }
  const both = [];
  for await (const m of client.parseStreams(shared())) {
    for (const o of m.outputs) if (o.message.result) both.push(o.message.result.message.text);
  }
  let fault;
  try {
    await client.plan({ template: "nobody", request: { text: request } });
  } catch (e) {
    fault = e.rawMessage;
  }
  console.log(JSON.stringify({ protocol, prompt: plan.generationPrompt, whole: whole.message.text, stream: last.message.text, both, chunks, fault }));
}
process.exit(0);
