import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { call, type Fault, service } from "../api";
import { FaultBox } from "../parts/fault";
import { Recordings } from "../parts/recordings";
import { type Column, Table } from "../parts/table";
import { usePoll } from "../poll";
import { say } from "../status";

interface Live {
  running: { template: string; handler: string; outputs: number; oldest: string }[];
  engines: { name: string; kind?: string; models: string[]; running: number; error?: string }[];
  reports: { template: string; status: string; count: number }[];
  trials: Trial[];
  canary: string;
  canary_tries: boolean;
}

interface Trial {
  at: string;
  source: string;
  path: string;
  templates?: string[];
  cases: number;
  outputs: number;
  untried?: number;
  regressions?: unknown[];
  changes?: unknown[];
  refused?: boolean;
  error?: string;
}

interface Snapshot {
  generation: string;
  put_at: string;
  cause: { source: string; changes?: { path: string }[]; rolled_back_to?: string };
  rules_hash: string;
  templates?: number;
  in_force?: boolean;
}

interface Plugin {
  name?: string;
  version?: string;
  manifest: string;
  handlers?: { name: string; match: string }[];
  state: string;
  starts?: number;
  restarts?: number;
  sessions?: number;
  last_error?: string;
  fault?: string;
}

interface Status {
  plugins?: Plugin[];
  warnings?: string[];
  conflicts?: string[];
}

// How often the page asks, in milliseconds: what changes with each output, and what changes with files.
const often = 2_000;
const rarely = 5_000;

// LiveView shows what is going on in the daemon.
export function LiveView() {
  const live = usePoll((signal) => call<Live>("live", {}, signal), often);
  const status = usePoll((signal) => service<Status>("AdminService/GetStatus", {}, signal), rarely);
  const history = usePoll(
    (signal) => service<{ snapshots?: Snapshot[]; rollback?: { to: string; held?: string[] } }>("SnapshotService/ListSnapshots", {}, signal),
    rarely,
  );
  const now = live.value;
  return (
    <>
      <h2>Live</h2>
      {[live.fault, status.fault, history.fault].map((fault, n) => fault && <FaultBox key={n} fault={fault} />)}
      {[...(status.value?.warnings ?? []), ...(status.value?.conflicts ?? [])].map((w) => (
        <p key={w} class="warn">
          {w}
        </p>
      ))}
      {now && (
        <>
          <Section title="Outputs under way">
            <Table caption="Outputs under way" columns={running} rows={now.running} empty="None: nothing is being parsed at this moment." />
          </Section>
          <Section title="Engines">
            <Table
              caption="Engines"
              columns={engines}
              rows={now.engines}
              rowClass={(e) => e.error && "bad"}
              empty="None: set engines.urls, or start the daemon with --replay to try the gateway without one."
            />
          </Section>
          <Section title="Reports by template">
            <Reports of={now.reports} />
          </Section>
        </>
      )}
      <Section title="Recordings as they come">
        <Recordings />
      </Section>
      {history.value && (
        <Section title="Snapshots">
          {history.value.rollback && (
            <p class="warn">
              Snapshot {history.value.rollback.to} was restored; what is on disk waits for its next change: {history.value.rollback.held?.join(", ")}.
            </p>
          )}
          <Snapshots of={history.value.snapshots ?? []} again={history.again} />
        </Section>
      )}
      {status.value && (
        <Section title="Plugins">
          <Table
            caption="Plugins"
            columns={plugins}
            rows={status.value.plugins ?? []}
            rowClass={(p) => (p.fault || p.last_error ? "warn" : undefined)}
            empty="None: set plugins.dir to a folder with plugins."
          />
        </Section>
      )}
      {now && (
        <Section title="Last canary trials">
          <Table caption="Last canary trials" columns={trials} rows={now.trials} rowClass={(t) => (t.refused ? "bad" : undefined)} empty={noTrials(now)} />
        </Section>
      )}
    </>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <h3>{title}</h3>
      {children}
    </>
  );
}

function noTrials(now: Live): string {
  if (now.canary === "off") return "None: canary.mode is off, and changes go live untried.";
  if (!now.canary_tries) return "None: there is nothing to try changes on; set canary.cases, or canary.shadow to keep outputs.";
  return "None: nothing has changed since the start.";
}

const time = (at: string) => new Date(at).toLocaleString();

// age says how long ago something began.
function age(at: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(at)) / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

const running: Column<Live["running"][number]>[] = [
  { head: "Template", cell: (r) => r.template },
  { head: "Handler", cell: (r) => r.handler },
  { head: "Outputs", cell: (r) => r.outputs },
  { head: "Oldest", cell: (r) => age(r.oldest) },
];

const engines: Column<Live["engines"][number]>[] = [
  { head: "Engine", cell: (e) => e.name },
  { head: "Kind", cell: (e) => e.kind ?? "not recognised" },
  { head: "Health", cell: (e) => e.error ?? "answers" },
  { head: "Models", cell: (e) => e.models.join(", ") },
  { head: "Outputs", cell: (e) => e.running },
];

const plugins: Column<Plugin>[] = [
  { head: "Plugin", cell: (p) => (p.name ? `${p.name} ${p.version ?? ""}` : p.manifest) },
  { head: "State", cell: (p) => p.state },
  { head: "Handlers", cell: (p) => (p.handlers ?? []).map((h) => h.name).join(", ") },
  { head: "Starts", cell: (p) => `${p.starts ?? 0}, ${p.restarts ?? 0} of them after failures` },
  { head: "Calls", cell: (p) => p.sessions ?? 0 },
  { head: "Fault", cell: (p) => [p.fault, p.last_error].filter(Boolean).join("; ") },
];

const trials: Column<Trial>[] = [
  { head: "When", cell: (t) => time(t.at) },
  { head: "Change", cell: (t) => `${t.source} ${t.path}` },
  { head: "Outcome", cell: (t) => (t.refused ? "refused" : "went live") },
  { head: "Tried", cell: (t) => `${t.cases} cases, ${t.outputs} outputs` + (t.untried ? `, ${t.untried} not` : "") },
  { head: "Worse", cell: (t) => t.regressions?.length ?? 0 },
  { head: "Changed", cell: (t) => t.changes?.length ?? 0 },
  { head: "Error", cell: (t) => t.error },
];

// Reports is a table with a row for each template, and a column for each status.
function Reports({ of }: { of: Live["reports"] }) {
  const statuses = [...new Set(of.map((r) => r.status))].sort();
  const templates = [...new Set(of.map((r) => r.template))];
  const columns: Column<string>[] = [
    { head: "Template", cell: (t) => t },
    ...statuses.map((s) => ({ head: s, cell: (t: string) => of.find((r) => r.template === t && r.status === s)?.count ?? 0 })),
  ];
  return <Table caption="Reports by template" columns={columns} rows={templates} empty="None: no output has ended since the start." />;
}

// Snapshots lists what was in force, and restores it once that is confirmed.
function Snapshots({ of, again }: { of: Snapshot[]; again: () => void }) {
  const [asked, ask] = useState("");
  const [fault, setFault] = useState<Fault | null>(null);
  const restore = async (generation: string) => {
    ask("");
    try {
      await service("SnapshotService/Rollback", { to: generation });
      setFault(null);
      say(`Snapshot ${generation} is restored`);
      again();
    } catch (err) {
      setFault(err as Fault);
    }
  };
  const columns: Column<Snapshot>[] = [
    { head: "Snapshot", cell: (s) => s.generation },
    { head: "In force", cell: (s) => (s.in_force ? "now" : `since ${time(s.put_at)}, no longer`) },
    { head: "Cause", cell: (s) => causeOf(s) },
    { head: "Templates", cell: (s) => s.templates ?? 0 },
    { head: "Rules", cell: (s) => <code>{s.rules_hash.slice(0, 8)}</code> },
    {
      head: "Restore",
      cell: (s) =>
        s.in_force ? null : asked === s.generation ? (
          <>
            <button type="button" class="main" onClick={() => void restore(s.generation)}>
              Yes, restore {s.generation}
            </button>{" "}
            <button type="button" onClick={() => ask("")}>
              Cancel
            </button>
          </>
        ) : (
          <button type="button" onClick={() => ask(s.generation)}>
            Restore {s.generation} …
          </button>
        ),
    },
  ];
  return (
    <>
      {fault && <FaultBox fault={fault} />}
      <Table caption="Snapshots" columns={columns} rows={of} empty="None are remembered: history.snapshots is 0." />
    </>
  );
}

function causeOf(s: Snapshot): string {
  const back = s.cause.rolled_back_to && s.cause.rolled_back_to !== "0" ? ` to ${s.cause.rolled_back_to}` : "";
  return s.cause.source + back + (s.cause.changes?.length ? ": " + s.cause.changes.map((c) => c.path).join(", ") : "");
}
