// Makes clients of the service of the daemon that parses.
import { readFileSync } from "node:fs";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";

const transports = { connect: createConnectTransport, grpc: createGrpcTransport, "grpc-web": createGrpcWebTransport };

export const protocols = Object.keys(transports);

// DESCRIPTORS is a file with a FileDescriptorSet: what a generated client has in its code.
export function chats(protocol, baseUrl, descriptors) {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptors)));
  return createClient(registry.getService("dragoman.v1.ChatService"), transports[protocol]({ baseUrl, httpVersion: "2" }));
}
