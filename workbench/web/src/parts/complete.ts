// Completion of YAML from a JSON Schema: the keys that may stand at the cursor, and the values that its key may have.

import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";

export interface Schema {
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

// fromSchema completes after a schema. values adds what else may be the value of a key; path is that of the key.
export function fromSchema(schema: Schema, values: (path: string[]) => Completion[]): CompletionSource {
  return (context) => {
    const before = context.state.doc.sliceString(0, context.pos);
    const at = placeOf(before);
    const options = at.inValue ? [...valuesOf(schemaAt(schema, at.path)), ...values(at.path)] : keysOf(schemaAt(schema, at.path));
    if (options.length === 0 || (at.word === "" && !context.explicit && !at.inValue)) return null;
    return result(context, at.word, options);
  };
}

function result(context: CompletionContext, word: string, options: Completion[]): CompletionResult {
  return { from: context.pos - word.length, options, validFor: /^[^\s:,{}[\]]*$/ };
}

interface Place {
  path: string[]; // of the mapping whose key, or of the key whose value, is typed
  inValue: boolean;
  word: string; // what is typed of it
}

// token is a word and the mark behind it.
const token = /^\s*("[^"]*"|[^\s:,{}[\]"]*)\s*([:{}[\],]|$)/;

// placeOf returns where a text ends, from its indentation and the braces of its last line.
export function placeOf(before: string): Place {
  const lines = before.split("\n");
  const line = lines.pop()!;
  const path = outerKeys(lines, indentOf(line));
  const flow: string[] = [];
  let key = "";
  let inList = false;
  let word = line.replace(/^[\s-]*/, "");
  let rest = word;
  for (let m = token.exec(rest); m; m = token.exec(rest)) {
    const [all, text, mark] = m as unknown as [string, string, string];
    word = text;
    if (mark === "") break;
    rest = rest.slice(all.length);
    if (mark === ":") key = text;
    else if (mark === "{") {
      flow.push(key);
      key = "";
    } else if (mark === "}") {
      flow.pop();
      key = "";
    } else if (mark === "[") inList = true;
    else if (mark === "]") inList = false;
    else if (!inList) key = "";
    word = "";
  }
  const whole = [...path, ...flow];
  return key === "" ? { path: whole, inValue: false, word } : { path: [...whole, key], inValue: true, word };
}

// indentOf returns the column of the first key of a line: a dash belongs to the indentation.
function indentOf(line: string): number {
  return /^[\s-]*/.exec(line)![0].length;
}

// outerKeys returns the keys of the mappings around a line of this indentation.
function outerKeys(lines: string[], indent: number): string[] {
  const path: string[] = [];
  for (const line of [...lines].reverse()) {
    const key = /^([\s-]*)([A-Za-z_-]+):/.exec(line);
    if (!key || /^\s*#/.test(line) || key[1]!.length >= indent) continue;
    if (!/:\s*(#.*)?$/.test(line)) continue; // a mapping has no value on the line of its key
    path.unshift(key[2]!);
    indent = /^\s*/.exec(line)![0].length;
    if (indent === 0) break;
  }
  return path;
}

function schemaAt(schema: Schema, path: string[]): Schema | undefined {
  let at: Schema | undefined = schema;
  for (const key of path) {
    at = at?.properties?.[key];
    while (at?.items && !at.properties) at = at.items;
  }
  return at;
}

function keysOf(schema: Schema | undefined): Completion[] {
  return Object.entries(schema?.properties ?? {}).map(([key, s]) => ({
    label: key,
    type: "property",
    detail: s.enum ? s.enum.join(" | ") : [s.type].flat().join(" or "),
    info: s.description,
    apply: s.type === "object" ? key + ":" : key + ": ",
  }));
}

function valuesOf(schema: Schema | undefined): Completion[] {
  const all: Completion[] = (schema?.enum ?? []).map((value) => ({ label: value, type: "enum", info: schema?.description }));
  if (schema?.const !== undefined) all.push({ label: String(schema.const), type: "constant" });
  if (schema?.type === "boolean") all.push({ label: "true" }, { label: "false" });
  return all;
}
