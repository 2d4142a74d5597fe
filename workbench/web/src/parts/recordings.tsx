import { call, service } from "../api";
import { useLoad } from "../load";
import { hrefOf } from "../route";
import { useWatch } from "../watch";
import { Empty } from "./empty";
import { FaultBox } from "./fault";
import { type Column, Table } from "./table";

// RecordingSummary is what RecordingService/ListRecordings lists.
export interface RecordingSummary {
  id: string;
  recorded_at?: string;
  template?: string;
  handler?: string;
  status?: string;
  marks?: string[];
  bytes?: number;
}

const most = 50;

const columns: Column<RecordingSummary>[] = [
  { head: "Recorded", cell: (r) => <a href={hrefOf("output", "recording", r.id)}>{new Date(r.recorded_at ?? 0).toLocaleString()}</a> },
  { head: "Template", cell: (r) => r.template },
  { head: "Handler", cell: (r) => r.handler },
  { head: "Status", cell: (r) => r.status },
  { head: "Unusual", cell: (r) => r.marks?.join(", ") },
  { head: "Bytes", cell: (r) => r.bytes ?? 0 },
];

// useRecordings lists the last recordings; null: the recorder is off.
export function useRecordings() {
  return useLoad(async (signal) => {
    const { recorder } = await call<{ recorder: boolean }>("live", {}, signal);
    if (!recorder) return null;
    return (await service<{ recordings?: RecordingSummary[] }>("RecordingService/ListRecordings", { limit: most }, signal)).recordings ?? [];
  }, []);
}

// Recordings lists the last recordings, and each as it comes.
export function Recordings() {
  const { value, fault } = useRecordings();
  if (fault) return <FaultBox fault={fault} />;
  if (value === null) return <Empty>None: the recorder is off. Set recorder.dir to record outputs.</Empty>;
  return value ? <Watched known={value} /> : null;
}

function Watched({ known }: { known: RecordingSummary[] }) {
  const { list, fault } = useWatch<{ recording?: RecordingSummary }>("RecordingService/WatchRecordings", {}, most);
  const fresh = list.flatMap((m) => m.recording ?? []);
  const ids = new Set(fresh.map((r) => r.id));
  const rows = [...fresh, ...known.filter((r) => !ids.has(r.id))].slice(0, most);
  return (
    <>
      {fault && <FaultBox fault={fault} />}
      <Table caption="Recordings" columns={columns} rows={rows} empty="None yet: no output has ended that the settings of the recorder choose." />
    </>
  );
}
