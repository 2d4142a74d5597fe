import type { ComponentType } from "preact";
import { ConstraintView } from "./views/constraint";
import { LiveView } from "./views/live";
import { OutputView } from "./views/output";
import { RulesView } from "./views/rules";
import { TemplateView } from "./views/template";

// Props are what each view gets: the rest of the address behind its name, in parts. "#/template/a%2Fb" is ["a/b"].
export interface Props {
  path: string[];
}

export interface View {
  id: string; // in the address
  title: string;
  component: ComponentType<Props>;
}

// views are those of the page, in the order of their tabs.
export const views: View[] = [
  { id: "template", title: "Template", component: TemplateView },
  { id: "output", title: "Output", component: OutputView },
  { id: "rules", title: "Rules", component: RulesView },
  { id: "constraint", title: "Constraint", component: ConstraintView },
  { id: "live", title: "Live", component: LiveView },
];
