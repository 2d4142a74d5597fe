import { useState } from "preact/hooks";
import { call, type Fault } from "../../api";
import type { Subject } from "../../draft";
import { useLoad } from "../../load";
import { ByteView } from "../../parts/byteview";
import { FaultBox } from "../../parts/fault";
import { Source } from "../../parts/source";
import type { Learned } from "../template";

interface Piece {
  text: string;
  literal?: boolean;
  line?: number;
  column?: number;
  members?: string[];
}

interface Answer {
  pieces: Piece[] | null;
  generation_prompt: string;
  normalised: string[] | null;
}

const example = {
  messages: [
    { role: "system", content: "You know all books." },
    { role: "user", content: "Where is Dune?" },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "call00001", type: "function", function: { name: "find_book", arguments: '{"title": "Dune"}' } }],
    },
    { role: "tool", tool_call_id: "call00001", content: "second shelf" },
    { role: "user", content: "Thank you. And Emma?" },
  ],
  tools: [
    {
      type: "function",
      function: {
        name: "find_book",
        description: "Finds a book",
        parameters: { type: "object", properties: { title: { type: "string", description: "a title" } }, required: ["title"] },
      },
    },
  ],
};

// Prompt shows the prompt of a request, and where each byte of it comes from.
export function Prompt({ learned, subject }: { learned: Learned; subject: Subject }) {
  const [text, setText] = useState(JSON.stringify(example, null, 2));
  const [asked, ask] = useState(text);
  const [selected, select] = useState(-1);
  const { value, fault } = useLoad((signal) => call<Answer>("prompt", { template: subject, request: asked }, signal), [subject, asked]);
  const pieces = value?.pieces ?? [];
  const piece = pieces[selected];
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    select(-1);
    ask(text);
  };
  return (
    <>
      <form onSubmit={submit} class="stack">
        <label class="field">
          Request, in OpenAI's JSON
          <textarea rows={12} spellcheck={false} value={text} onInput={(e) => setText(e.currentTarget.value)} />
        </label>
        <p>
          <button type="submit" class="main">
            Render
          </button>
        </p>
      </form>
      {fault && <FaultBox fault={fault as Fault} />}
      {value && (
        <>
          <h3>Prompt</h3>
          <p class="legend">
            <span class="piece literal">text of the template</span> <span class="piece member">a text of the request</span>{" "}
            <span class="piece value">another value</span> <span class="piece added">a continued message</span>
          </p>
          {value.normalised?.length ? <p class="quiet">Changed of the conversation before: {value.normalised.join(", ")}.</p> : null}
          <ByteView
            label="The prompt, in pieces by their origin"
            pieces={pieces.map((p) => ({ text: p.text, kind: kindOf(p), label: describe(p) }))}
            selected={selected}
            onSelect={select}
          />
          <p role="status">{piece ? `${describe(piece)}, ${new TextEncoder().encode(piece.text).length} bytes` : "Choose a piece to see the line that wrote it."}</p>
          <Source text={learned.template.source} line={piece?.line} label="Source of the template" />
        </>
      )}
    </>
  );
}

function kindOf(p: Piece): string {
  if (!p.line) return "added";
  return p.literal ? "literal" : p.members ? "member" : "value";
}

function describe(p: Piece): string {
  const place = p.line ? ` at line ${p.line}, column ${p.column}` : "";
  const members = p.members ? `, the text of ${p.members.slice(0, 3).join(" or ")}${p.members.length > 3 ? " or others" : ""}` : "";
  if (!p.line) return "added behind the template's text" + members;
  return (p.literal ? "text of the template" : "value of the expression") + place + members;
}
