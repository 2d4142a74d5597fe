import { service } from "../api";
import { draft, draftID } from "../draft";
import { type Loaded, useLoad } from "../load";
import { useStore } from "../store";
import { FaultBox } from "./fault";

// TemplateInfo is a template in force, as TemplateService/ListTemplates lists it.
export interface TemplateInfo {
  name: string;
  origin?: string;
  handler?: string;
  error?: string;
  self_check?: string;
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
  value: string; // a name, or draftID
  onPick: (name: string) => void;
  label?: string;
}

// Picker chooses one of the templates in force, or the draft.
export function Picker({ value, onPick, label = "Template" }: Props) {
  const { value: all, fault } = useTemplates();
  const own = useStore(draft);
  if (fault) return <FaultBox fault={fault} />;
  return (
    <label class="field">
      {label}
      <select value={value} onChange={(e) => onPick(e.currentTarget.value)}>
        <option value="">{all ? `Choose one of ${all.length + (own ? 1 : 0)}` : "Loading …"}</option>
        {own && <option value={draftID}>{own.name} (draft)</option>}
        {(all ?? []).map((t) => (
          <option key={t.name} value={t.name}>
            {t.name}
          </option>
        ))}
      </select>
    </label>
  );
}
