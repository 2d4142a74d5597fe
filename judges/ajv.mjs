// Validates values: node ajv.mjs FOLDER < cases > verdicts. A case is a line of JSON: {schema, value (its text)}. A verdict is a
// line of JSON: the errors of the value, each {keyword, message}.
import {createRequire} from "node:module";
import {createInterface} from "node:readline";

const require = createRequire(`${process.argv[2]}/package.json`);
const Ajv = require("ajv/dist/2020").default;
const ajv = new Ajv({strict: false, allErrors: true});
require("ajv-formats").default(ajv);

const compiled = new Map();
for await (const line of createInterface({input: process.stdin})) {
  const {schema, value} = JSON.parse(line);
  const key = JSON.stringify(schema);
  if (!compiled.has(key)) compiled.set(key, ajv.compile(schema));
  const valid = compiled.get(key);
  process.stdout.write(JSON.stringify(errors(valid, value)) + "\n");
}

function errors(valid, value) {
  try {
    return valid(JSON.parse(value)) ? [] : valid.errors.map(e => ({keyword: e.keyword, message: `${e.instancePath || "/"} ${e.message}`}));
  } catch (error) {
    return [{keyword: "JSON", message: error.message}];
  }
}
