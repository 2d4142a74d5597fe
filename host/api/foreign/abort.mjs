// Begins a stream over every protocol that a client in JavaScript knows, and gives it up in the middle; the connection lives on,
// and the client asks for something else over it. Prints a line of JSON a protocol. Then it begins a stream that it never ends,
// prints one more line, and waits to be killed.
//
//   node abort.mjs URL DESCRIPTORS REQUEST
import { chats, protocols } from "./chats.mjs";

const [baseUrl, descriptors, request] = process.argv.slice(2);
const template = "chatml-json";

async function* endless() {
  yield { start: { template, request: { text: request } } };
  yield { chunk: { case: "text", value: "Grüße" } };
  await new Promise(() => {});
}

// half reads a stream up to the delta with its text, and then does something.
async function half(client, then, options) {
  let chunks = 0;
  for await (const m of client.parseStream(endless(), options)) if (m.chunk && ++chunks == 2) then(); // the first has the role
}

for (const protocol of protocols) {
  const client = chats(protocol, baseUrl, descriptors);
  const controller = new AbortController();
  let fault;
  try {
    await half(client, () => controller.abort(), { signal: controller.signal });
  } catch (e) {
    fault = e.rawMessage;
  }
  const whole = await client.parse({ template, request: { text: request }, output: { case: "text", value: "b" }, options: { noIds: true } });
  console.log(JSON.stringify({ protocol, fault, whole: whole.message.text }));
}
await half(chats("grpc", baseUrl, descriptors), () => console.log("{}"));
