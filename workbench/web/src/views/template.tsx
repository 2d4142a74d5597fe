import { call } from "../api";
import { draft, draftID, subjectOf, type Subject } from "../draft";
import { useLoad } from "../load";
import { Drop } from "../parts/drop";
import { Empty } from "../parts/empty";
import { FaultBox } from "../parts/fault";
import { type Split } from "../parts/difftext";
import { Picker, type TemplateInfo, useTemplates } from "../parts/picker";
import { Source } from "../parts/source";
import { type Column, Table } from "../parts/table";
import { goTo, hrefOf } from "../route";
import { useStore } from "../store";
import type { Props } from "../views";
import { Comparisons } from "./template/comparisons";
import { Overview } from "./template/overview";
import { Prompt } from "./template/prompt";

// Explanation is what was learned of a template; its fields are those of "dragoman explain --json".
export interface Explanation {
  template: string;
  capabilities: { id: string; question: string; yes: boolean }[];
  normalisations: { id: string; because: string }[] | null;
  comparisons: Comparison[];
  dialect: Finding[] | null;
  workarounds: Rule[] | null;
  self_check: SelfCheck;
  lint: string[] | null;
}

export interface Comparison {
  id: string;
  question: string;
  differs: string;
  a: string;
  b: string;
  skipped?: boolean;
  error?: string;
}

export interface Finding {
  field: string;
  value: string;
  by: string;
  seen: string;
}

export interface Rule {
  name: string;
  because: string;
  changes: string[] | null;
  asks?: string[];
  vouches?: string[];
  error?: string;
}

export interface SelfCheck {
  passed: number;
  failed: number;
  parts: Proof[] | null;
  rows: Row[];
}

export interface Proof {
  part: string;
  proven: boolean;
  served: boolean;
  passed: number;
  because?: string;
  vouched_by?: string;
}

export interface Row {
  id: string;
  question: string;
  skipped?: string;
  failed?: string;
  output?: string;
  refutes?: string[];
}

// Learned is the answer of the page's API.
export interface Learned {
  template: Required<Subject>;
  origin: string;
  handler?: string;
  explanation: Explanation;
  renderings: Record<string, Split>;
  answers: Record<string, string>;
}

const parts = [
  { id: "overview", title: "Overview" },
  { id: "comparisons", title: "Comparisons" },
  { id: "prompt", title: "Prompt" },
  { id: "source", title: "Source" },
];

export function TemplateView({ path }: Props) {
  const [name, part] = path;
  return name ? <One name={name} part={part ?? "overview"} /> : <All />;
}

const columns: Column<TemplateInfo>[] = [
  { head: "Template", cell: (t) => <a href={hrefOf("template", t.name)}>{t.name}</a> },
  { head: "Handler", cell: (t) => t.handler },
  { head: "Self-check", cell: (t) => t.error ?? t.self_check ?? "a plugin answers" },
  {
    head: "Read as content",
    cell: (t) => (
      <span class="bad">
        {(t.parts ?? [])
          .filter((p) => !p.proven)
          .map((p) => p.part)
          .join(", ")}
      </span>
    ),
  },
];

function All() {
  const { value, fault } = useTemplates();
  const own = useStore(draft);
  return (
    <>
      <h2>Templates</h2>
      <h3>In force</h3>
      {fault && <FaultBox fault={fault} />}
      {value && <Table caption="Templates in force" columns={columns} rows={value} empty="No template is in force: set templates.dir." />}
      {own && (
        <p>
          Your draft: <a href={hrefOf("template", draftID)}>{own.name}</a>
        </p>
      )}
      <Drop />
    </>
  );
}

function One({ name, part }: { name: string; part: string }) {
  useStore(draft);
  const subject = subjectOf(name);
  const { value, fault, loading } = useLoad(
    subject && ((signal) => call<Learned>("template", subject, signal)),
    [name, subject?.source, subject?.bos_token, subject?.eos_token],
  );
  return (
    <>
      <div class="row">
        <Picker value={name} onPick={(next) => (next ? goTo("template", next, part) : goTo("template"))} />
        <a href={hrefOf("template")}>All templates, or another file</a>
      </div>
      {!subject && <Empty>There is no draft in this tab. Drop or paste a template first.</Empty>}
      {fault && <FaultBox fault={fault} />}
      {loading && <p aria-live="polite">Learning …</p>}
      {value && (
        <>
          <h2>{value.template.name}</h2>
          <p class="quiet">
            {value.origin === "draft" ? "A draft; it is not in force." : `From ${value.origin}.`}
            {value.handler && value.handler !== "autoparser" && ` The plugin ${value.handler} answers for it; below is what comparing teaches.`}
          </p>
          <nav class="tabs" aria-label="Parts of the template">
            {parts.map((p) => (
              <a key={p.id} href={hrefOf("template", name, p.id)} aria-current={p.id === part ? "page" : undefined}>
                {p.title}
              </a>
            ))}
          </nav>
          {part === "overview" && <Overview learned={value} name={name} />}
          {part === "comparisons" && <Comparisons learned={value} />}
          {part === "prompt" && <Prompt learned={value} subject={subject!} />}
          {part === "source" && <Source text={value.template.source} label="Source of the template" />}
        </>
      )}
    </>
  );
}
