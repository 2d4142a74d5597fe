import { type Column, Table } from "../../parts/table";
import type { Row, Rule, SelfCheck } from "../template";
import { Proofs } from "../template/overview";

// Reading is how a template is read under some rules.
export interface Reading {
  rules: Rule[] | null;
  dialect: Record<string, string>;
  self_check: SelfCheck;
  silent?: boolean; // tools are offered, and nothing says how they are called
  lint: string[] | null;
}

interface Field {
  field: string;
  before?: string;
  after?: string;
}

const columns: Column<Field>[] = [
  { head: "Field", cell: (f) => <code>{f.field}</code> },
  { head: "In force", cell: (f) => (f.before === undefined ? <span class="quiet">nothing</span> : <pre>{JSON.stringify(f.before)}</pre>) },
  {
    head: "With this document",
    cell: (f) =>
      f.after === undefined ? <span class="quiet">nothing</span> : <pre class={f.after === f.before ? undefined : "good"}>{JSON.stringify(f.after)}</pre>,
  },
];

// Closely shows how one template is read under the rules in force and under the document.
export function Closely({ name, before, after }: { name: string; before: Reading; after: Reading }) {
  const fields = [...new Set([...Object.keys(before.dialect), ...Object.keys(after.dialect)])].map(
    (field): Field => ({ field, before: before.dialect[field], after: after.dialect[field] }),
  );
  const changed = fields.filter((f) => f.before !== f.after);
  const failures = after.self_check.rows.filter((r) => r.failed);
  const broken = (after.rules ?? []).filter((r) => r.error);
  const wrong = broken.length > 0 || !isRead(after);
  return (
    <>
      <h3>{name}</h3>
      <p class={"verdict " + (wrong ? "bad" : "good")} role="status" data-verdict={wrong ? "bad" : "good"}>
        {after.silent ? "Tools are offered, and nothing says how they are called." : wrong ? "Something is not read." : "All is read."} Self-check: {score(before.self_check)} in force,{" "}
        {score(after.self_check)} with this document.
      </p>
      <Proofs parts={after.self_check.parts ?? []} />
      <p>
        {after.rules?.length ? `Rules that hold for it: ${after.rules.map((r) => r.name).join(", ")}.` : "No rule of this document holds for it."}
      </p>
      {broken.map((r) => (
        <p key={r.name} class="bad">
          The condition of {r.name} fails: {r.error}
        </p>
      ))}
      {changed.length > 0 && <Table caption={"What changes of " + name} columns={columns} rows={changed} empty="" />}
      <ul>
        {(before.lint ?? [])
          .filter((note) => !after.lint?.includes(note))
          .map((note) => (
            <li key={note} class="good">
              gone: {note}
            </li>
          ))}
        {(after.lint ?? []).map((note) => (
          <li key={note} class={wrong ? "bad" : undefined}>
            {note}
          </li>
        ))}
      </ul>
      {failures.map((r) => (
        <details key={r.id}>
          <summary class="bad">{r.question} Not so.</summary>
          <pre>{r.failed}</pre>
          <p class="quiet">The template wrote</p>
          <pre>{r.output}</pre>
        </details>
      ))}
    </>
  );
}

// isRead reports whether all parts are served, and nothing is read differently but what a rule vouches for.
function isRead({ self_check: check, silent }: Reading): boolean {
  const vouched = (part: string) => (check.parts ?? []).some((p) => p.part === part && p.vouched_by);
  const excused = (r: Row) => (r.refutes ?? []).length > 0 && r.refutes!.every(vouched);
  return !silent && (check.parts ?? []).every((p) => p.served) && check.rows.every((r) => !r.failed || excused(r));
}

function score(check: SelfCheck): string {
  return `${check.passed} of ${check.passed + check.failed}`;
}
