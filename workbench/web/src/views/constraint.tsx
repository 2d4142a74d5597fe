import { useState } from "preact/hooks";
import { call } from "../api";
import { bytesOf, textOf } from "../bytes";
import { subjectOf } from "../draft";
import { useLater } from "../later";
import { useLoad } from "../load";
import { Empty } from "../parts/empty";
import { FaultBox } from "../parts/fault";
import { Picker } from "../parts/picker";
import { RequestEditor } from "../parts/request";
import { type Column, Table } from "../parts/table";
import { request } from "../request";
import { useStore } from "../store";

interface Trigger {
  type: string;
  value: string;
}

interface Tried {
  status: "accepted" | "incomplete" | "refused" | "free";
  start: number;
  offset: number;
  expected: string[];
}

interface Constraint {
  handler: string;
  generation_prompt: string;
  constraint: { grammar: string; lazy: boolean; triggers: Trigger[]; target?: string; content?: string } | null;
  preserved_tokens: string[];
  stops: string[];
  notes: string[];
  tried?: Tried;
}

const targets = [
  ["gbnf", "GBNF, of llama.cpp"],
  ["structural_tag", "structural tag, of xgrammar"],
  ["ebnf", "EBNF, of xgrammar"],
  ["lark", "Lark, of llguidance"],
  ["json_schema", "JSON Schema, of any engine"],
];

const types: Record<string, string> = { word: "the text", pattern: "the pattern", pattern_full: "the whole output so far, as the pattern" };

const columns: Column<Trigger>[] = [
  { head: "Look for", cell: (t) => types[t.type] ?? t.type },
  { head: "Value", cell: (t) => <code>{t.value}</code> },
];

// ConstraintView shows what an engine needs to sample valid outputs only, and tries a text against it.
export function ConstraintView() {
  const [template, pick] = useState("");
  const [target, setTarget] = useState("gbnf");
  const [text, setText] = useState("");
  const asked = useLater(useStore(request));
  const typed = useLater(text);
  const subject = template ? subjectOf(template) : null;
  const { value, fault } = useLoad(
    subject ? (signal) => call<Constraint>("constraint", { template: subject, request: asked, target, text: typed || null }, signal) : null,
    [template, target, asked, typed],
  );
  return (
    <>
      <h2>Constraint</h2>
      <div class="row">
        <Picker value={template} onPick={pick} />
        <label class="field">
          Notation
          <select value={target} onChange={(e) => setTarget(e.currentTarget.value)}>
            {targets.map(([id, title]) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      <RequestEditor />
      <label class="field">
        An output to try, as the model would write it behind the generation prompt
        <textarea rows={5} spellcheck={false} value={text} onInput={(e) => setText(e.currentTarget.value)} />
      </label>
      {fault && <FaultBox fault={fault} />}
      {!template && <Empty>No template is chosen: its grammar depends on it, and on the tools of the request.</Empty>}
      {template && value && !fault && (
        <>
          {value.tried && <Verdict tried={value.tried} text={typed} />}
          <Shown of={value} />
        </>
      )}
    </>
  );
}

// Verdict shows how far a text follows the grammar.
function Verdict({ tried, text }: { tried: Tried; text: string }) {
  const bytes = bytesOf(text);
  const refused = tried.status === "refused" ? textOf(bytes.subarray(tried.offset)).slice(0, 1) : "";
  const after = tried.offset + bytesOf(refused).length;
  const said = {
    free: "Free: no trigger occurs, so that the grammar does not begin.",
    accepted: "Accepted: the output may end here.",
    incomplete: "Accepted so far: the output may not end here.",
    refused: refused === "" ? "Refused at the end." : `Refused at byte ${tried.offset}: ${JSON.stringify(refused)}.`,
  }[tried.status];
  return (
    <>
      <h3 class={tried.status === "refused" ? "bad" : "good"}>
        <span role="status">{said}</span>
      </h3>
      <pre class="bytes" tabIndex={0} aria-label="What was tried">
        <span class="piece later" title="before the grammar begins">
          {textOf(bytes.subarray(0, tried.start))}
        </span>
        <span class="piece call" title="accepted">
          {textOf(bytes.subarray(tried.start, tried.offset))}
        </span>
        {refused && (
          <mark class="piece open" title="refused">
            {refused.trim() || "⏎·"}
          </mark>
        )}
        {textOf(bytes.subarray(after))}
      </pre>
      {tried.expected.length > 0 && (
        <>
          <p>Expected there:</p>
          <ul>
            {tried.expected.map((e) => (
              <li key={e}>
                <code>{e}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Shown({ of }: { of: Constraint }) {
  const c = of.constraint;
  return (
    <>
      {of.notes.length > 0 && (
        <>
          <h3>Notes</h3>
          <ul>
            {of.notes.map((n) => (
              <li key={n}>{n}</li>
            ))}
          </ul>
        </>
      )}
      <h3>Triggers</h3>
      {c && !c.lazy ? (
        <Empty>None: the grammar covers the whole output.</Empty>
      ) : (
        <Table caption="Triggers" columns={columns} rows={c?.triggers ?? []} empty="None: sampling is free." />
      )}
      <h3>Tokens that must not be dropped</h3>
      <Texts of={of.preserved_tokens} empty="None: the format has no special tokens." />
      <h3>Stops</h3>
      <Texts of={of.stops} empty="None: the model's end-of-turn tokens end the output." />
      <h3>Grammar</h3>
      {c ? (
        <pre class="lines" tabIndex={0} aria-label="Grammar">
          {c.content || c.grammar}
        </pre>
      ) : (
        <Empty>None: nothing constrains the answer to this request. Give it tools, or a response_format.</Empty>
      )}
    </>
  );
}

function Texts({ of, empty }: { of: string[]; empty: string }) {
  if (of.length === 0) return <Empty>{empty}</Empty>;
  return (
    <p>
      {of.map((t) => (
        <code key={t} class="chip">
          {t}
        </code>
      ))}
    </p>
  );
}
