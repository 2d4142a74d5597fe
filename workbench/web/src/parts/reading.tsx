import { useState } from "preact/hooks";
import type { OutputEvent, Reading, Step } from "../reading";
import { Empty } from "./empty";
import { type Column, Table } from "./table";

// most is how many rows are shown: the last ones.
const most = 200;

interface Row extends OutputEvent {
  step: number;
}

const columns: Column<Row>[] = [
  { head: "Chunk", cell: (e) => e.step },
  { head: "Event", cell: (e) => e.kind + (e.recovered ? ", recovered" : "") + (e.open ? ", open" : "") },
  { head: "Text", cell: (e) => e.text && <code>{e.text}</code> },
  { head: "Bytes", cell: (e) => (e.to > e.from ? `${e.from}–${e.to - 1}` : e.from) },
];

// Events lists what was decided in some steps.
export function Events({ steps }: { steps: Step[] }) {
  const rows = steps.flatMap((s, step) => (s.events ?? []).map((e) => ({ ...e, step })));
  return (
    <>
      <h3>Events</h3>
      {rows.length > most && <p class="quiet">The last {most} of {rows.length}.</p>}
      <Table caption="Events" columns={columns} rows={rows.slice(-most)} empty="None yet: nothing is decided." />
    </>
  );
}

const apis = [
  ["chat", "OpenAI's chat completions"],
  ["responses", "OpenAI's responses"],
  ["messages", "Anthropic's messages"],
] as const;

// Deltas shows what an API sends to clients in some steps.
export function Deltas({ steps }: { steps: Step[] }) {
  const [api, choose] = useState<string>(apis[0][0]);
  const lines = steps.flatMap((s) => s.deltas?.[api] ?? []).map((d) => JSON.stringify(d));
  return (
    <>
      <h3>Deltas</h3>
      <div class="row">
        <label class="field">
          As clients get them of
          <select value={api} onChange={(e) => choose(e.currentTarget.value)}>
            {apis.map(([id, title]) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      {lines.length > most && <p class="quiet">The last {most} of {lines.length}.</p>}
      {lines.length === 0 ? (
        <Empty>None yet.</Empty>
      ) : (
        <pre class="lines" tabIndex={0} aria-label="Deltas">
          {lines.slice(-most).join("\n")}
        </pre>
      )}
    </>
  );
}

// Outcome shows the message that the output has become, and the report.
export function Outcome({ reading }: { reading: Reading }) {
  const r = reading.report;
  return (
    <>
      <h3>
        In the end: <span class={r.status === "complete" ? "good" : "warn"}>{r.status}</span>, {reading.finish_reason}
      </h3>
      {reading.refused && <p class="bad">Refused: {reading.refused}</p>}
      <ul>
        {(r.faults ?? []).map((f) => (
          <li key={f.at + f.message} class="bad">
            {f.message}
          </li>
        ))}
        {(r.missing_markers ?? []).map((m) => (
          <li key={m.marker} class="warn">
            The marker <code>{m.marker}</code> is missing {m.count === 1 ? "once" : `${m.count} times`}, first at byte {m.at}.
          </li>
        ))}
        {(r.unknown_tools ?? []).map((t) => (
          <li key={t} class="warn">
            No tool of the request is named <code>{t}</code>.
          </li>
        ))}
        {(r.notes ?? []).map((n) => (
          <li key={n}>{n}</li>
        ))}
        <li>
          At most {r.max_held} bytes were held; {reading.handler} planned.
        </li>
      </ul>
      <details>
        <summary>The message</summary>
        <pre tabIndex={0} aria-label="The message">{JSON.stringify(reading.message, null, 2)}</pre>
      </details>
    </>
  );
}
