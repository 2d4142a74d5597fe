import type { ComponentType } from "preact";
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
  { id: "rules", title: "Rules", component: RulesView },
];
