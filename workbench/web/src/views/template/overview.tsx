import { marked } from "../../parts/difftext";
import { Empty } from "../../parts/empty";
import { type Column, Table } from "../../parts/table";
import { hrefOf } from "../../route";
import type { Finding, Learned, Proof, Row } from "../template";

// Overview shows what is proven, what to look at, the dialect and the self-check.
export function Overview({ learned, name }: { learned: Learned; name: string }) {
  const e = learned.explanation;
  const check = e.self_check;
  return (
    <>
      <Proofs parts={check.parts ?? []} />
      <p>
        <a class="action" href={hrefOf("rules", name)}>
          Write a rule for it
        </a>
      </p>
      <h3>What to look at</h3>
      {e.lint?.length ? (
        <ul class="lint">
          {e.lint.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ) : (
        <Empty>Lint has nothing to say.</Empty>
      )}
      <h3>Dialect</h3>
      <Table
        caption="The dialect, and what taught each field"
        columns={dialect(learned)}
        rows={e.dialect ?? []}
        empty="No field is set: what the template writes is content."
      />
      {e.workarounds?.map((rule) => (
        <p key={rule.name}>
          Rule <strong>{rule.name}</strong>: {rule.because} {rule.error && <span class="bad">Its condition fails: {rule.error}</span>}
        </p>
      ))}
      <h3>
        Self-check: {check.passed} of {check.passed + check.failed} answers are read back
      </h3>
      <Table caption="The self-check, row by row" columns={rows(learned)} rows={check.rows} rowClass={(r) => (r.failed ? "failed" : undefined)} empty="" />
      <h3>Capabilities</h3>
      <Table
        caption="Capabilities"
        columns={[
          { head: "Question", cell: (a) => a.question },
          { head: "Answer", cell: (a) => (a.yes ? "yes" : "no") },
        ]}
        rows={e.capabilities}
        empty=""
      />
    </>
  );
}

// Proofs lists the parts of a dialect, and whether they are served.
export function Proofs({ parts }: { parts: Proof[] }) {
  if (parts.length === 0) return <Empty>The template writes neither reasoning nor calls: its answers are content.</Empty>;
  return (
    <ul class="proofs">
      {parts.map((p) => (
        <li key={p.part} class={p.served ? "good" : "bad"}>
          <strong>{p.part}</strong>{" "}
          {p.proven
            ? `proven by ${p.passed} answers`
            : p.served
              ? `not proven, but ${p.vouched_by} vouches for it: ${p.because}`
              : `read as content: ${p.because}`}
        </li>
      ))}
    </ul>
  );
}

function dialect(learned: Learned): Column<Finding>[] {
  const name = learned.template.name;
  const comparisons = new Set(Object.keys(learned.renderings));
  const origin = learned.origin === "draft" ? "~draft" : name;
  return [
    { head: "Field", cell: (f) => <code>{f.field}</code> },
    { head: "Value", cell: (f) => <pre>{JSON.stringify(f.value)}</pre> },
    {
      head: "Taught by",
      cell: (f) => {
        const id = f.by.split(/[^A-Za-z0-9-]+/).find((one) => comparisons.has(one));
        return id ? <a href={hrefOf("template", origin, "comparisons", id)}>{f.by}</a> : f.by;
      },
    },
    { head: "Seen", cell: (f) => <pre>{marked(f.seen, [{ text: f.value, title: f.field }])}</pre> },
  ];
}

function rows(learned: Learned): Column<Row>[] {
  return [
    { head: "Question", cell: (r) => r.question },
    {
      head: "Result",
      cell: (r) =>
        r.failed ? <span class="bad">read differently</span> : r.skipped ? <span class="quiet">not asked</span> : <span class="good">read back</span>,
    },
    {
      head: "Expected and found",
      cell: (r) =>
        r.failed ? (
          <>
            <pre class="bad">{r.failed}</pre>
            <p class="quiet">The template wrote</p>
            <pre>{r.output}</pre>
            <p class="quiet">for the answer</p>
            <pre>{learned.answers[r.id]}</pre>
          </>
        ) : r.skipped ? (
          r.skipped
        ) : (
          <details>
            <summary>the answer</summary>
            <pre>{learned.answers[r.id]}</pre>
          </details>
        ),
    },
  ];
}
