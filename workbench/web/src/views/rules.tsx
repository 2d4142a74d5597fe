import { useEffect, useMemo, useState } from "preact/hooks";
import { call, type Fault, isAbort, lines } from "../api";
import { draft, subjectOf } from "../draft";
import { useLoad } from "../load";
import { fromSchema, type Schema } from "../parts/complete";
import { Editor, type Mistake } from "../parts/editor";
import { Empty } from "../parts/empty";
import { FaultBox } from "../parts/fault";
import { Picker } from "../parts/picker";
import { goTo, hrefOf } from "../route";
import { say } from "../status";
import { createStore, useStore } from "../store";
import type { Props } from "../views";
import { Changes, Recordings, type Replayed, type RulesDiff } from "./rules/changes";
import { Closely, type Reading } from "./rules/closely";
import { markersIn, skeleton } from "./rules/skeleton";

interface InForce {
  document: string;
  hash: string;
  file: string;
  write: boolean;
  schema: Schema;
  cases: string;
}

// Part is a part of what trying rules answers.
interface Part {
  faults?: Mistake[];
  before?: Reading;
  after?: Reading;
  done?: number;
  all?: number;
  diff?: RulesDiff;
  replayed?: Replayed;
}

// written is the document as it is edited; its text is null before it is loaded. It stays in this tab.
const key = "dragoman.rules";
const written = createStore<{ text: string | null; version: number }>({ text: sessionStorage.getItem(key), version: 0 });

// edit notes what was typed.
function edit(text: string) {
  sessionStorage.setItem(key, text);
  written.set({ ...written.get(), text });
}

// replace puts a text in place of what was typed.
function replace(text: string) {
  edit(text);
  written.set({ text, version: written.get().version + 1 });
}

export function RulesView({ path }: Props) {
  const [version, reload] = useState(0);
  const { value, fault } = useLoad((signal) => call<InForce>("rules", {}, signal), [version]);
  useEffect(() => {
    if (value && written.get().text === null) replace(value.document);
  }, [value]);
  return (
    <>
      <h2>Rules</h2>
      {fault && <FaultBox fault={fault} />}
      {value && <Bench key={value.hash} inForce={value} name={path[0] ?? ""} onSaved={() => reload(version + 1)} />}
    </>
  );
}

function Bench({ inForce, name, onSaved }: { inForce: InForce; name: string; onSaved: () => void }) {
  const { text, version } = useStore(written);
  const document = text ?? inForce.document;
  useStore(draft);
  const subject = name ? subjectOf(name) : null;
  const tried = useTry(document, subject);
  const looked = useLoad(
    subject && ((signal) => call<{ template: { name: string; source: string } }>("template", subject, signal)),
    [name, subject?.source],
  );
  const template = looked.value?.template;
  const complete = useMemo(() => fromSchema(inForce.schema, (at) => valuesFor(at, template)), [inForce.schema, template]);
  const mistakes = useMemo(() => tried.faults ?? [], [tried.faults]);
  return (
    <>
      <div class="row">
        <Picker label="Look closely at" value={name} onPick={(next) => (next ? goTo("rules", next) : goTo("rules"))} />
        {template && (
          <>
            <button type="button" onClick={() => replace(skeleton(document, template))}>
              Add a rule for it
            </button>
            <a href={hrefOf("template", name)}>What was learned of it</a>
          </>
        )}
      </div>
      <div class="bench">
        <section aria-label="The document">
          <Editor label="Workarounds, in YAML" language="yaml" value={document} version={version} onChange={edit} mistakes={mistakes} complete={complete} />
          <p class="quiet">Ctrl+Space completes. Tab indents; Escape, then Tab leaves the editor.</p>
          <Actions inForce={inForce} document={document} onSaved={onSaved} broken={mistakes.length > 0} />
          {looked.fault && <FaultBox fault={looked.fault} />}
        </section>
        <section aria-label="What would change">
          <Outcome tried={tried} inForce={inForce} name={template?.name ?? ""} same={document === inForce.document} />
        </section>
      </div>
    </>
  );
}

// pause is how long the page waits for the next key before it asks, in milliseconds.
const pause = 250;

interface Tried extends Part {
  running: boolean;
  failed?: Fault;
}

// useTry tries a document after each change of it, and gives up the trial before.
function useTry(document: string, subject: ReturnType<typeof subjectOf>): Tried {
  const [state, set] = useState<Tried>({ running: true });
  useEffect(() => {
    const stop = new AbortController();
    set((was) => ({ ...was, running: true, done: 0, all: 0 }));
    const run = async () => {
      let sum: Tried = { running: true };
      for await (const part of lines<Part>("try", { document, template: subject }, stop.signal)) {
        sum = { ...sum, ...part };
        if (stop.signal.aborted) return;
        set((was) => ({ ...(part.faults ? {} : was), ...sum }));
      }
      set({ ...sum, running: false });
    };
    const timer = setTimeout(() => run().catch((failed) => isAbort(failed) || stop.signal.aborted || set({ running: false, failed })), pause);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [document, subject?.name, subject?.source]);
  return state;
}

function Outcome({ tried, inForce, name, same }: { tried: Tried; inForce: InForce; name: string; same: boolean }) {
  return (
    <>
      <Progress tried={tried} />
      {tried.failed && <FaultBox fault={tried.failed} />}
      {tried.faults && (
        <>
          <p class="verdict bad" role="status" data-verdict="faulty">
            {tried.faults.length === 1 ? "The document has a mistake" : `The document has ${tried.faults.length} mistakes`}; nothing was tried.
          </p>
          <ul>
            {tried.faults.map((f, n) => (
              <li key={n} class="bad">
                line {f.line}, column {f.column}: {f.message}
              </li>
            ))}
          </ul>
        </>
      )}
      {tried.before && tried.after && <Closely name={name} before={tried.before} after={tried.after} />}
      {tried.diff && (
        <>
          <h3>Templates in force</h3>
          {same ? <Empty>These are the rules in force: nothing changes.</Empty> : <Changes diff={tried.diff} />}
          <p class="quiet">
            {inForce.cases ? `The recorded cases of ${inForce.cases} were run under both rules.` : "There are no recorded cases to run: set canary.cases."}
          </p>
          <h3>Recordings</h3>
          {tried.replayed ? (
            <Recordings replayed={tried.replayed} />
          ) : (
            !tried.running && <Empty>There are no recordings to read again: set recorder.dir and recorder.share.</Empty>
          )}
        </>
      )}
    </>
  );
}

function Progress({ tried }: { tried: Tried }) {
  if (!tried.running) return null;
  return (
    <p class="progress">
      <label>
        Trying … <progress max={tried.all || 1} value={tried.done || 0} />
      </label>
    </p>
  );
}

interface ActionProps {
  inForce: InForce;
  document: string;
  broken: boolean;
  onSaved: () => void;
}

function Actions({ inForce, document, broken, onSaved }: ActionProps) {
  const [fault, setFault] = useState<Fault | null>(null);
  const save = async () => {
    setFault(null);
    try {
      await call("save", { document, hash: inForce.hash });
      say(`Saved to ${inForce.file}; the rules are in force.`);
      onSaved();
    } catch (err) {
      setFault(err as Fault);
    }
  };
  return (
    <>
      <div class="row">
        <button type="button" onClick={() => void navigator.clipboard.writeText(document).then(() => say("Copied."))}>
          Copy
        </button>
        <a class="action" href={`data:application/yaml;charset=utf-8,${encodeURIComponent(document)}`} download="workarounds.yaml">
          Download
        </a>
        <button type="button" disabled={document === inForce.document} onClick={() => replace(inForce.document)}>
          Back to those in force
        </button>
        {inForce.write && (
          <button type="button" class="main" disabled={broken || document === inForce.document} onClick={() => void save()}>
            Save to {inForce.file}
          </button>
        )}
      </div>
      {!inForce.write && <p class="quiet">This page changes nothing: save the document as {inForce.file || "the file that workarounds.file names"}.</p>}
      {fault && <FaultBox fault={fault} />}
    </>
  );
}

// valuesFor returns values for a field that the template suggests.
function valuesFor(path: string[], template: { name: string; source: string } | undefined) {
  if (!template) return [];
  if (path.at(-1) === "when") return [{ label: `name == "${template.name}"`, detail: "this template alone" }];
  if (path.at(-1) === "seen-in") return [{ label: template.name }];
  if (!path.includes("set")) return [];
  return markersIn(template.source).map((m) => ({ label: JSON.stringify(m), detail: "in the template" }));
}
