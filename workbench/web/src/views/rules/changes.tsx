import { Empty } from "../../parts/empty";
import { type Column, Table } from "../../parts/table";
import { hrefOf } from "../../route";

interface FieldDiff {
  field: string;
  before: string;
  after: string;
}

interface CaseDiff {
  case: string;
  before: string;
  after: string;
  difference?: string;
}

interface TemplateDiff {
  template: string;
  fields: FieldDiff[];
  lint_new?: string[];
  lint_gone?: string[];
  cases?: CaseDiff[];
}

// RulesDiff is what rules change, as "dragoman diff --json" prints it.
export interface RulesDiff {
  templates: TemplateDiff[];
}

const columns: Column<FieldDiff>[] = [
  { head: "Field", cell: (f) => <code>{f.field}</code> },
  { head: "Before", cell: (f) => (f.before ? <del>{f.before}</del> : <span class="quiet">nothing</span>) },
  { head: "After", cell: (f) => (f.after ? <ins>{f.after}</ins> : <span class="quiet">nothing</span>) },
];

// Replayed is what changes of recordings.
export interface Replayed {
  recordings: number;
  changed: number;
  templates: TemplateDiff[] | null;
  notes: string[] | null;
}

// Cases lists the cases, or recordings, with another outcome.
function Cases({ what, cases }: { what: string; cases: CaseDiff[] }) {
  return (
    <ul>
      {cases.map((c) => (
        <li key={c.case} class={c.after ? "bad" : c.before ? "good" : undefined}>
          {what} {c.case}: {outcomeOf(c)}
          <pre>{c.after || c.before || c.difference}</pre>
        </li>
      ))}
    </ul>
  );
}

function outcomeOf(c: CaseDiff): string {
  if (c.before === "" && c.after !== "") return "no longer holds: ";
  return c.before !== "" && c.after === "" ? "holds now; before: " : "has another outcome: ";
}

// Recordings lists the recordings that would be read in another way than they were.
export function Recordings({ replayed }: { replayed: Replayed }) {
  return (
    <>
      <p>
        {replayed.recordings} were read again; {replayed.changed} of them differ from how they were read.
      </p>
      {(replayed.notes ?? []).map((note) => (
        <p key={note} class="warn">
          {note}
        </p>
      ))}
      {(replayed.templates ?? []).map((t) => (
        <details key={t.template}>
          <summary>
            <strong>{t.template}</strong> <span class="quiet">{(t.cases ?? []).length} recordings</span>
          </summary>
          <Cases what="recording" cases={t.cases ?? []} />
        </details>
      ))}
    </>
  );
}

// Changes lists the templates in force that would be read in another way.
export function Changes({ diff }: { diff: RulesDiff }) {
  const worse = diff.templates.flatMap((t) => t.cases ?? []).filter((c) => c.before === "" && c.after !== "");
  if (diff.templates.length === 0) return <Empty>No template in force is read in another way.</Empty>;
  return (
    <>
      <p class={"verdict " + (worse.length ? "bad" : "good")} data-worse={worse.length}>
        {diff.templates.length === 1 ? "One template changes" : `${diff.templates.length} templates change`};{" "}
        {worse.length === 0 ? "no recorded case becomes worse." : `${worse.length} recorded cases no longer hold.`}
      </p>
      {diff.templates.map((t) => (
        <details key={t.template} open={diff.templates.length < 5}>
          <summary>
            <strong>{t.template}</strong> <span class="quiet">{t.fields.length} fields</span>
          </summary>
          <p>
            <a href={hrefOf("rules", t.template)}>Look closely</a>
          </p>
          <Table caption={"What changes of " + t.template} columns={columns} rows={t.fields} empty="" />
          <ul>
            {(t.lint_new ?? []).map((note) => (
              <li key={note} class="bad">
                new: {note}
              </li>
            ))}
            {(t.lint_gone ?? []).map((note) => (
              <li key={note} class="good">
                gone: {note}
              </li>
            ))}
          </ul>
          <Cases what="case" cases={t.cases ?? []} />
        </details>
      ))}
    </>
  );
}
