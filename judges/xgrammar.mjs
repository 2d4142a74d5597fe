// Samples random tokens that xgrammar allows: node xgrammar.mjs FOLDER < jobs > samples. See sampling.mjs.
import {readFileSync} from "node:fs";
import Module from "node:module";
import {bytesOf, choose, random, serve} from "./sampling.mjs";

// The package is a UMD bundle that claims to be an ES module.
const bundle = `${process.argv[2]}/node_modules/@mlc-ai/web-xgrammar/lib/index.js`;
const umd = new Module(bundle);
umd._compile(readFileSync(bundle, "utf8"), bundle);
const xgrammar = umd.exports;

await serve(async job => {
  const {tokens} = job;
  const end = tokens.length - 1; // the last token ends the turn
  const info = await xgrammar.TokenizerInfo.createTokenizerInfo(tokens.map(t => t.spelling), "byte_level", false, tokens.length, [end]);
  const compiler = await xgrammar.GrammarCompiler.createGrammarCompiler(info, true);
  const compile = {
    ebnf: () => compiler.compileGrammar(job.constraint),
    structural_tag: () => compiler.compileStructuralTag(job.constraint),
    json_schema: () => compiler.compileJSONSchema(job.constraint),
  };
  const grammar = await compile[job.target]();
  return {
    async sample(number) {
      const next = random(job.seed + number);
      const matcher = await xgrammar.GrammarMatcher.createGrammarMatcher(grammar);
      try {
        const opening = Buffer.from(job.free + job.opening);
        if (opening.length && !matcher._acceptString(opening.toString())) throw new Error(`refuses ${JSON.stringify(opening.toString())}`);
        const ids = [];
        while (ids.length < job.max) {
          const mask = await matcher.getNextTokenBitmask();
          const id = choose(tokens, i => mask[i >> 5] >>> (i & 31) & 1, next);
          if (id < 0) throw new Error(`allows no token behind ${JSON.stringify(bytesOf(tokens, ids).toString())}`);
          if (!matcher.acceptToken(id)) throw new Error(`allows token ${JSON.stringify(tokens[id].spelling)} and refuses it`);
          if (id === end) return {ended: true, output: Buffer.concat([opening, bytesOf(tokens, ids)])};
          ids.push(id);
        }
        return {ended: false, output: Buffer.concat([opening, bytesOf(tokens, ids)])};
      } finally {
        matcher.dispose();
      }
    },
    close() { grammar.dispose(); compiler.dispose(); info.dispose(); },
  };
});
