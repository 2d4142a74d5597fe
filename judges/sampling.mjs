// What both engines share. A job is a line of JSON: {name, target, constraint, model, tokens, free, opening, samples, seed, max}.
// For each sample a line follows: {name, sample, ended, output (base64)}, or {name, error}.
import {createInterface} from "node:readline";

// serve answers the jobs of standard input. prepare returns {sample(number), close()} for a job.
export async function serve(prepare) {
  const say = value => process.stdout.write(JSON.stringify(value) + "\n");
  for await (const line of createInterface({input: process.stdin})) {
    const job = JSON.parse(line);
    job.tokens.forEach(t => t.bytes = Buffer.from(t.bytes, "base64"));
    let engine;
    try {
      engine = await prepare(job);
      for (let sample = 0; sample < job.samples; sample++) {
        const {ended, output} = await engine.sample(sample);
        say({name: job.name, sample, ended, output: output.toString("base64")});
      }
    } catch (error) {
      say({name: job.name, error: String(error.message ?? error).slice(0, 2000)});
    }
    await engine?.close();
  }
  process.exit(0); // engines keep threads
}

// bytesOf returns what tokens say. An engine's own text would replace what is not UTF-8.
export const bytesOf = (tokens, ids) => Buffer.concat(ids.map(id => tokens[id].bytes));

// cut returns the tokens of a text, the longest first.
export function cut(tokens, text) {
  const ids = [];
  for (let at = 0; at < text.length;) {
    let best = -1;
    tokens.forEach((t, id) => {
      if (t.bytes.length > (tokens[best]?.bytes.length ?? 0) && text.subarray(at, at + t.bytes.length).equals(t.bytes)) best = id;
    });
    ids.push(best);
    at += tokens[best].bytes.length;
  }
  return ids;
}

// choose returns an allowed token by weight; -1 if no token is allowed.
export function choose(tokens, allowed, next) {
  const ids = [];
  let sum = 0;
  tokens.forEach((t, id) => { if (allowed(id)) { ids.push(id); sum += t.weight; } });
  let left = next() * sum;
  return ids.find(id => (left -= tokens[id].weight) < 0) ?? ids.at(-1) ?? -1;
}

// random returns a generator of numbers in [0, 1) (mulberry32).
export function random(seed) {
  let s = seed | 0;
  return () => {
    s = (s + 0x6d2b79f5) | 0;
    let x = Math.imul(s ^ s >>> 15, 1 | s);
    x = x + Math.imul(x ^ x >>> 7, 61 | x) ^ x;
    return ((x ^ x >>> 14) >>> 0) / 4294967296;
  };
}
