// Hugging Face's library encodes and decodes texts: node tokens.mjs FOLDER < texts > encoded. Each line of input names a
// tokenizer.json and has a text, in base64 because it need not be UTF-8; its line of output has the ids of the text, those with the tokens that begin and end it,
// what the ids are decoded to, with and without special tokens, and the nanoseconds that the first took.
import {createRequire} from "node:module";
import {createInterface} from "node:readline";

const {Tokenizer} = createRequire(`${process.argv[2]}/`)("tokenizers");
const utf8 = new TextDecoder("utf-8", {ignoreBOM: true});
const loaded = new Map();

for await (const line of createInterface({input: process.stdin})) {
  const {tokenizer: path, text: encoded} = JSON.parse(line);
  if (!loaded.has(path)) loaded.set(path, Tokenizer.fromFile(path));
  const tokenizer = loaded.get(path), text = utf8.decode(Buffer.from(encoded, "base64"));
  const began = process.hrtime.bigint();
  const ids = (await tokenizer.encode(text, null, {addSpecialTokens: false})).getIds();
  const took = Number(process.hrtime.bigint() - began);
  const whole = (await tokenizer.encode(text, null, {addSpecialTokens: true})).getIds();
  const base64 = async skip => Buffer.from(ids.length ? await tokenizer.decode(ids, skip) : "").toString("base64");
  console.log(JSON.stringify({ids, whole, decoded: await base64(false), plain: await base64(true), took}));
}
