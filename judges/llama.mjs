// Samples from a model of random weights under llama.cpp's grammar: node llama.mjs FOLDER < jobs > samples. See sampling.mjs.
import {pathToFileURL} from "node:url";
import {bytesOf, cut, serve} from "./sampling.mjs";

const {getLlama, LlamaGrammarEvaluationState, LlamaLogLevel} = await import(pathToFileURL(`${process.argv[2]}/node_modules/node-llama-cpp/dist/index.js`));
const llama = await getLlama({gpu: false, build: "never", logLevel: LlamaLogLevel.error, maxThreads: 1});

await serve(async job => {
  const {tokens} = job;
  const grammar = await llama.createGrammar({grammar: job.constraint});
  const model = await llama.loadModel({modelPath: job.model});
  const context = await model.createContext({contextSize: job.max + 256, threads: 1});
  const sequence = context.getSequence();
  const free = cut(tokens, Buffer.from(job.free)), opening = cut(tokens, Buffer.from(job.opening));
  return {
    async sample(number) {
      await sequence.clearHistory();
      const state = new LlamaGrammarEvaluationState({model, grammar});
      // A lazy grammar reads the output from the trigger on.
      for (const id of opening) llama._bindings.AddonSampler.acceptGrammarEvaluationStateToken(state._state, id);
      const ids = [...free, ...opening];
      const options = {temperature: 1, topK: 0, topP: 1, minP: 0, seed: job.seed + number, grammarEvaluationState: state, yieldEogToken: true};
      for await (const id of sequence.evaluate([0, ...ids], options)) {
        if (model.isEogToken(id)) return {ended: true, output: bytesOf(tokens, ids)};
        ids.push(id);
        if (ids.length >= job.max) break;
      }
      return {ended: false, output: bytesOf(tokens, ids)};
    },
    async close() { await context.dispose(); await model.dispose(); },
  };
});
