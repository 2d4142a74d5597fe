// Speaks to a daemon as a client in JavaScript does, over every protocol that it knows, and prints what it is told, one line of
// JSON a protocol.
//
//   node client.mjs URL DESCRIPTORS REQUEST OUTPUT
//
// DESCRIPTORS is a file with a FileDescriptorSet: what a generated client has in its code.
import { readFileSync } from "node:fs";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";

const [baseUrl, descriptors, request, output] = process.argv.slice(2);
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptors)));
const service = registry.getService("dragoman.v1.ChatService");
const template = "chatml-json";
const options = { noIds: true };

async function* pieces() {
  yield { start: { template, request: { text: request }, options } };
  for (const letter of output) yield { chunk: { case: "text", value: letter } };
}

for (const [protocol, create] of Object.entries({ connect: createConnectTransport, grpc: createGrpcTransport, "grpc-web": createGrpcWebTransport })) {
  const client = createClient(service, create({ baseUrl, httpVersion: "2" }));
  const plan = await client.plan({ template, request: { text: request } });
  const whole = await client.parse({ template, request: { text: request }, output: { case: "text", value: output }, options });
  let chunks = 0;
  let last;
  for await (const m of client.parseStream(pieces())) {
    if (m.chunk) chunks++;
    last = m.result;
  }
  let fault;
  try {
    await client.plan({ template: "nobody", request: { text: request } });
  } catch (e) {
    fault = e.rawMessage;
  }
  console.log(JSON.stringify({ protocol, prompt: plan.generationPrompt, whole: whole.message.text, stream: last.message.text, chunks, fault }));
}
process.exit(0);
