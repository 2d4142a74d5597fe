import { useEffect, useMemo, useState } from "preact/hooks";
import { call, type Fault, service } from "../api";
import { base64Of, bytesOf, concat, counted, fromBase64, textOf } from "../bytes";
import { chunkings } from "../chunking";
import { subjectOf } from "../draft";
import { useLoad } from "../load";
import { ByteView } from "../parts/byteview";
import { Empty } from "../parts/empty";
import { FaultBox } from "../parts/fault";
import { Picker } from "../parts/picker";
import { Deltas, Events, Outcome } from "../parts/reading";
import { useRecordings } from "../parts/recordings";
import { RequestEditor } from "../parts/request";
import { at, type Part, partsOf, piecesOf, type Reading, regions } from "../reading";
import { request, setRequest } from "../request";
import { goTo } from "../route";
import { say } from "../status";
import type { Props } from "../views";

// Output is what is looked at: bytes, and what is known of how they came.
interface Output {
  template: string;
  bytes: Uint8Array;
  lengths: number[] | null; // of the pieces of a recording; null: it is none
  special: [number, number][] | null; // the bytes of special tokens; null: unknown
  limited: boolean;
}

const nothing: Output = { template: "", bytes: new Uint8Array(), lengths: null, special: null, limited: false };

interface Recording {
  summary: { template?: string; limited?: boolean };
  request?: unknown;
  output?: string;
  pieces?: { length?: number; special?: { start?: number; end?: number }[]; special_known?: boolean }[];
}

// OutputView shows how an output is read. Its address may name a recording to open: #/output/recording/ID.
export function OutputView({ path }: Props) {
  const [output, set] = useState(nothing);
  const [chunking, setChunking] = useState(chunkings[0]!.id);
  const [state, setState] = useState<{ reading?: Reading; bytes?: Uint8Array; fault?: Fault }>({});
  const id = path[0] === "recording" ? path[1] : undefined;
  const recording = useLoad(id ? (signal) => service<Recording>("RecordingService/GetRecording", { id }, signal) : null, [id]);
  useEffect(() => {
    if (!recording.value) return;
    const opened = outputOf(recording.value);
    setRequest(JSON.stringify(recording.value.request, null, 2));
    setChunking("recorded");
    set(opened);
    void read(opened, opened.lengths ?? []);
  }, [recording.value]);

  const read = async (o: Output, chunks: number[]) => {
    const template = subjectOf(o.template);
    try {
      const reading = await call<Reading>("output", {
        template, request: request.get(), output: base64Of(o.bytes), chunks, special: o.special, limited: o.limited,
      });
      setState({ reading, bytes: concat(bytesOf(reading.generation_prompt), o.bytes) });
      say(`${counted(o.bytes.length, "byte")} read: ${reading.report.status}`);
    } catch (fault) {
      setState({ fault: fault as Fault });
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const way = chunkings.find((c) => c.id === chunking);
    void read(output, way ? way.lengths(output.bytes.length) : (output.lengths ?? []));
  };
  return (
    <>
      <h2>Output</h2>
      {recording.fault && <FaultBox fault={recording.fault} />}
      <form onSubmit={submit} class="stack">
        <div class="row">
          <Picker value={output.template} onPick={(template) => set({ ...output, template })} />
          <RecordingPicker open={id ?? ""} />
        </div>
        <RequestEditor />
        <label class="field">
          What the model wrote, behind the generation prompt
          <textarea
            rows={6}
            spellcheck={false}
            value={textOf(output.bytes)}
            onInput={(e) => set({ ...nothing, template: output.template, limited: output.limited, bytes: bytesOf(e.currentTarget.value) })}
          />
        </label>
        <div class="row">
          <label class="field">
            Chunks
            <select value={chunking} onChange={(e) => setChunking(e.currentTarget.value)}>
              {output.lengths && <option value="recorded">as they were recorded</option>}
              {chunkings.map((c) => (
                <option key={c.id} value={c.id}>
                  {c.title}
                </option>
              ))}
            </select>
          </label>
          <label class="check">
            <input type="checkbox" checked={output.limited} onChange={(e) => set({ ...output, limited: e.currentTarget.checked })} />
            The engine stopped for length
          </label>
          <button type="submit" class="main" disabled={!output.template}>
            Read it
          </button>
        </div>
      </form>
      {state.fault && <FaultBox fault={state.fault} />}
      {state.reading && state.bytes ? (
        <Shown key={state.bytes} reading={state.reading} bytes={state.bytes} />
      ) : (
        !state.fault && <Empty>Nothing was read yet: choose a template, paste what its model wrote, and read it.</Empty>
      )}
    </>
  );
}

function outputOf(r: Recording): Output {
  const pieces = r.pieces ?? [];
  const lengths = pieces.map((p) => p.length ?? 0);
  const special: [number, number][] = [];
  let from = 0;
  for (const p of pieces) {
    for (const s of p.special ?? []) special.push([from + (s.start ?? 0), from + (s.end ?? 0)]);
    from += p.length ?? 0;
  }
  const known = pieces.some((p) => p.special_known);
  return {
    template: r.summary.template ?? "", bytes: fromBase64(r.output ?? ""), lengths, special: known ? special : null, limited: r.summary.limited ?? false,
  };
}

// RecordingPicker opens one of the recordings; there are none while the recorder is off.
function RecordingPicker({ open }: { open: string }) {
  const { value, fault } = useRecordings();
  const why = fault ? fault.message : value === undefined ? "Loading …" : value === null ? "none: the recorder is off" : value.length === 0 ? "none yet" : "Choose one";
  return (
    <label class="field">
      Recording
      <select value={open} disabled={!value?.length} onChange={(e) => e.currentTarget.value && goTo("output", "recording", e.currentTarget.value)}>
        <option value="">{why}</option>
        {(value ?? []).map((r) => (
          <option key={r.id} value={r.id}>
            {new Date(r.recorded_at ?? 0).toLocaleString()} · {r.template} · {r.status}
          </option>
        ))}
      </select>
    </label>
  );
}

// most is how many pieces are shown at once, around the end of what was received.
const most = 2000;

// Shown plays a reading, and shows what is known after each step.
function Shown({ reading, bytes }: { reading: Reading; bytes: Uint8Array }) {
  const last = reading.steps.length - 1;
  const [step, setStep] = useState(last);
  const [selected, select] = useState(-1);
  const now = reading.steps[step]!;
  const prompt = bytes.length - reading.steps[last]!.to;
  const parts = useMemo(() => partsOf(reading, bytes.length), [reading, bytes]);
  const known = useMemo(() => at(parts, now, prompt, step === last), [parts, now]);
  const end = known.findIndex((p) => p.region === "later");
  const first = Math.max(0, (end < 0 ? known.length : end) - most / 2);
  const some = known.slice(first, first + most);
  return (
    <>
      <Player step={step} last={last} onStep={setStep} />
      <p>
        {now.to} of {counted(reading.steps[last]!.to, "byte")} received, <strong>{step === last ? 0 : now.held} held</strong>. {placeOf(reading, step)}
      </p>
      <Legend parts={known} />
      {some.length < known.length && <p class="quiet">Pieces {first + 1} to {first + some.length} of {known.length} are shown.</p>}
      <ByteView label="The output, in the colours of its regions" pieces={piecesOf(some, bytes)} selected={selected} onSelect={select} />
      <Selected part={some[selected]} reading={reading} />
      <Outcome reading={reading} />
      <Events steps={reading.steps.slice(0, step + 1)} />
      <Deltas steps={reading.steps.slice(0, step + 1)} />
    </>
  );
}

// placeOf says where the program is after a step.
function placeOf(reading: Reading, step: number): string {
  const now = reading.steps[step]!;
  if (!reading.has_program) return `${reading.handler} parses in a process of its own, so that nothing is known of rules.`;
  if (step === reading.steps.length - 1) return "The output has ended.";
  if (now.recovering) return "The output broke the format: it is content until a call begins.";
  const rules = now.rules?.length ? now.rules.join(" › ") : "the program itself";
  return `At work: ${rules}` + (now.next?.length ? `, which reads ${now.next.join(" or ")}.` : ".");
}

const paces = [5, 20, 100, 500];

// Player goes through the steps: by the slider, or by itself at a pace.
function Player({ step, last, onStep }: { step: number; last: number; onStep: (step: number) => void }) {
  const [playing, play] = useState(false);
  const [pace, setPace] = useState(paces[1]!);
  useEffect(() => {
    if (!playing) return;
    if (step >= last) {
      play(false);
      return;
    }
    const stride = Math.max(1, Math.round(pace / 60)); // a screen shows no more than 60 a second
    const timer = setTimeout(() => onStep(Math.min(last, step + stride)), (1000 * stride) / pace);
    return () => clearTimeout(timer);
  }, [playing, step, last, pace]);
  const start = () => {
    if (!playing && step === last) onStep(0);
    play(!playing);
  };
  return (
    <div class="row player">
      <button type="button" onClick={start}>
        {playing ? "Pause" : "Play"}
      </button>
      <label class="field">
        Chunks a second
        <select value={pace} onChange={(e) => setPace(Number(e.currentTarget.value))}>
          {paces.map((p) => (
            <option key={p} value={p}>
              {p}
            </option>
          ))}
        </select>
      </label>
      <label class="field grow">
        {step === 0 ? "Before the first chunk" : step === last ? "After the end" : `After chunk ${step} of ${last - 1}`}
        <input type="range" min={0} max={last} value={step} onInput={(e) => onStep(Number(e.currentTarget.value))} aria-label="Step" />
      </label>
    </div>
  );
}

// Legend names the colours of what is shown.
function Legend({ parts }: { parts: Part[] }) {
  const seen = new Set(parts.map((p) => p.region));
  return (
    <ul class="legend">
      {Object.keys(regions)
        .filter((r) => seen.has(r))
        .map((r) => (
          <li key={r} class={"piece " + r}>
            {regions[r]}
          </li>
        ))}
    </ul>
  );
}

// Selected says what is known of the piece that was chosen.
function Selected({ part, reading }: { part: Part | undefined; reading: Reading }) {
  if (!part) return <p class="quiet">Choose a piece to see what read it.</p>;
  const reader = reading.readers[part.reader];
  const bytes = `Bytes ${part.start} to ${part.end - 1}: ${regions[part.region] ?? part.region}.`;
  if (!reader || part.region === "later" || part.region === "held") return <p role="status">{bytes}</p>;
  return (
    <p role="status">
      {bytes}{" "}
      {reader.node ? (
        <>
          Read by <code>{reader.node}</code> in {reader.rule === "program" ? "the program itself" : <>the rule <code>{reader.rule}</code></>}.
        </>
      ) : (
        "No rule has read it."
      )}
    </p>
  );
}
