// Reads cases from standard input, one JSON object a line: {name, ebnf | tag, pass, fail}. Says on standard output what
// xgrammar, whose folder is the argument, decides otherwise; ends with the number of texts.
const fs = require("fs");
const { Grammar, Testings } = require(process.argv[2]);

async function run(c) {
  const g = c.tag ? await Grammar.fromStructuralTag(c.tag) : await Grammar.fromEBNF(c.ebnf);
  for (const [texts, want] of [[c.pass, true], [c.fail, false]]) {
    for (const text of texts || []) {
      const got = await Testings.isGrammarAcceptString(g, text);
      if (got !== want) console.log(`${c.name}: ${got ? "accepts" : "refuses"} ${JSON.stringify(text)}`);
      count++;
    }
  }
}

let count = 0;
(async () => {
  for (const line of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) await run(JSON.parse(line));
  console.log(`${count} texts`);
})();
