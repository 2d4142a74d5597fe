import { FaultBox } from "../parts/fault";
import { type TemplateInfo, useTemplates } from "../parts/picker";
import { type Column, Table } from "../parts/table";
import { hrefOf } from "../route";
import type { Props } from "../views";

const columns: Column<TemplateInfo>[] = [
  { head: "Template", cell: (t) => <a href={hrefOf("template", t.name)}>{t.name}</a> },
  { head: "Handler", cell: (t) => t.handler },
  { head: "Self-check", cell: (t) => t.error ?? t.selfCheck ?? "not asked: a plugin answers" },
  { head: "Not proven", cell: (t) => (t.parts ?? []).filter((p) => !p.proven).map((p) => p.part).join(", ") },
];

export function TemplateView(_: Props) {
  const { value, fault } = useTemplates();
  return (
    <>
      <h2>Templates in force</h2>
      {fault && <FaultBox fault={fault} />}
      {value && <Table caption="Templates in force" columns={columns} rows={value} empty="No template is in force: set templates.dir." />}
    </>
  );
}
