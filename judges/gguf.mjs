// llama.cpp encodes texts with the vocabulary of a GGUF file: node gguf.mjs FOLDER < texts > ids. The first line of input names the file,
// each of the others is a text; its line of output has the ids, special tokens found.
import {createInterface} from "node:readline";
import {pathToFileURL} from "node:url";

const {getLlama, LlamaLogLevel} = await import(pathToFileURL(`${process.argv[2]}/node_modules/node-llama-cpp/dist/index.js`));
const llama = await getLlama({gpu: false, build: "never", logLevel: LlamaLogLevel.error, maxThreads: 1});
let model;

for await (const line of createInterface({input: process.stdin})) {
  const input = JSON.parse(line);
  if (!model) model = await llama.loadModel({modelPath: input, vocabOnly: true});
  else console.log(JSON.stringify(Array.from(model._model.tokenize(input, true)))); // model.tokenize corrects white space
}
await model.dispose();
