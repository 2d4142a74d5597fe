import { service } from "../api";
import { type Loaded, useLoad } from "../load";
import { FaultBox } from "./fault";

// TemplateInfo is a template in force, as TemplateService/ListTemplates lists it.
export interface TemplateInfo {
  name: string;
  origin?: string;
  handler?: string;
  error?: string;
  selfCheck?: string;
  parts?: { part: string; proven?: boolean; because?: string }[];
}

// useTemplates lists the templates in force.
export function useTemplates(): Loaded<TemplateInfo[]> {
  return useLoad(
    (signal) => service<{ templates?: TemplateInfo[] }>("TemplateService/ListTemplates", {}, signal).then((a) => a.templates ?? []),
    [],
  );
}

interface Props {
  value: string;
  onPick: (name: string) => void;
  label?: string;
}

// Picker chooses one of the templates in force.
export function Picker({ value, onPick, label = "Template" }: Props) {
  const { value: all, fault } = useTemplates();
  if (fault) return <FaultBox fault={fault} />;
  return (
    <label class="field">
      {label}
      <select value={value} onChange={(e) => onPick(e.currentTarget.value)}>
        <option value="">{all ? `Choose one of ${all.length}` : "Loading …"}</option>
        {(all ?? []).map((t) => (
          <option key={t.name} value={t.name}>
            {t.name}
          </option>
        ))}
      </select>
    </label>
  );
}
