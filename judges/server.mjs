// Speaks llama-server's wire in front of real llama.cpp: node server.mjs FOLDER < {job, template}. Prints its port. It samples as
// llama.mjs does, so its jobs are the same; of lazy grammars it knows none. As llama-server does, it drops special tokens from the text
// that are not preserved, and holds back characters that are not whole.
import {createServer} from "node:http";
import {text} from "node:stream/consumers";
import {StringDecoder} from "node:string_decoder";
import {pathToFileURL} from "node:url";
import {cut} from "./sampling.mjs";

const {getLlama, LlamaGrammarEvaluationState, LlamaLogLevel} = await import(pathToFileURL(`${process.argv[2]}/node_modules/node-llama-cpp/dist/index.js`));
const llama = await getLlama({gpu: false, build: "never", logLevel: LlamaLogLevel.error, maxThreads: 1});
const {job, template} = JSON.parse(await text(process.stdin));
const tokens = job.tokens.map(t => ({bytes: Buffer.from(t.bytes, "base64")}));
const special = new Set(tokens.filter((t, i) => i >= 256 && job.specials.includes(t.bytes.toString())).map(t => t.bytes.toString()));
const model = await llama.loadModel({modelPath: job.model});

async function complete(r, send, gone) {
  const grammar = r.grammar ? await llama.createGrammar({grammar: r.grammar}) : undefined; // throws for a bad one
  if (r.grammar_lazy) throw new Error("lazy grammars are not supported");
  const prompt = [0, ...cut(tokens, Buffer.from(r.prompt))];
  const context = await model.createContext({contextSize: prompt.length + r.n_predict + 16, threads: 1});
  try {
    const state = grammar && new LlamaGrammarEvaluationState({model, grammar});
    const options = {temperature: r.temperature, topK: 0, topP: 1, minP: 0, seed: r.seed, grammarEvaluationState: state, yieldEogToken: true};
    const decoder = new StringDecoder("utf8");
    let n = 0, type = "limit";
    const event = (content, more) => send({index: 0, content, tokens: [], stop: false, id_slot: 0, tokens_predicted: n, tokens_evaluated: prompt.length, ...more});
    for await (const id of context.getSequence().evaluate(prompt, options)) {
      n++;
      if (model.isEogToken(id)) { type = "eos"; break; }
      const {bytes} = tokens[id];
      if (!special.has(bytes.toString()) || r.preserved_tokens.includes(bytes.toString())) event(decoder.write(bytes));
      if (n >= r.n_predict || gone()) break;
    }
    event(decoder.end(), {stop: true, stop_type: type, stopping_word: "", truncated: false, timings: {cache_n: 0, prompt_n: prompt.length, predicted_n: n}});
  } finally {
    await context.dispose();
  }
}

const server = createServer(async (req, res) => {
  const json = (status, value) => { res.writeHead(status, {"content-type": "application/json"}); res.end(JSON.stringify(value)); };
  const body = JSON.parse(await text(req) || "null");
  switch (req.url) {
  case "/v1/models": return json(200, {object: "list", data: [{id: "random", object: "model", owned_by: "llamacpp"}]});
  case "/props": return json(200, {chat_template: template, bos_token: "", eos_token: job.tokens.at(-1).spelling, build_info: "node-llama-cpp", total_slots: 1});
  case "/tokenize": return json(200, {tokens: cut(tokens, Buffer.from(body.content))});
  case "/completion":
    try {
      await complete(body, event => {
        if (!res.headersSent) res.writeHead(200, {"content-type": "text/event-stream"});
        res.write(`data: ${JSON.stringify(event)}\n\n`);
      }, () => res.destroyed);
      return res.end();
    } catch (error) {
      return json(400, {error: {code: 400, message: String(error.message ?? error), type: "invalid_request_error"}});
    }
  }
  json(404, {error: {code: 404, message: "File Not Found", type: "not_found_error"}});
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
