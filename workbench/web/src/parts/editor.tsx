import { autocompletion, closeBrackets, type CompletionSource } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";

// Mistake is a fault at a place of the text, counted from 1.
export interface Mistake {
  line: number;
  column: number;
  message: string;
}

interface Props {
  label: string;
  language: "yaml" | "json";
  value: string;
  version: number; // counts the values that come from elsewhere: only with another one is the text replaced
  onChange: (value: string) => void;
  mistakes?: Mistake[];
  complete?: CompletionSource;
}

const theme = EditorView.theme({
  "&": { backgroundColor: "var(--page)", color: "var(--text)", border: "1px solid var(--line)", fontSize: "0.85rem" },
  "&.cm-focused": { outline: "3px solid var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)", maxHeight: "32rem" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--quiet)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--raised)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--mark-page)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "inherit" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  // In place of images, which the policy of the page blocks.
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
  ".cm-lint-marker-error": { content: '"●"', color: "var(--bad)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.content], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--mark)" },
  { tag: tags.comment, color: "var(--quiet)" },
]);

// Editor edits a text. It lives in a shadow root, whose style sheets the policy of the page allows, as they come from code.
//
// Tab indents; Escape and then Tab leaves the editor.
export function Editor({ label, language, value, version, onChange, mistakes = [], complete }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const current = useRef({ onChange, complete });
  current.current = { onChange, complete };
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    const state = EditorState.create({
      doc: value,
      extensions: [
        lineNumbers(),
        history(),
        highlightActiveLine(),
        closeBrackets(),
        indentUnit.of("  "),
        language === "yaml" ? yaml() : json(),
        syntaxHighlighting(colours),
        lintGutter(),
        autocompletion({ override: [(context) => current.current.complete?.(context) ?? null] }),
        keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) current.current.onChange(update.state.doc.toString());
        }),
        theme,
      ],
    });
    const made = new EditorView({ state, parent: root, root });
    view.current = made;
    return () => made.destroy();
  }, [label, language]);
  useEffect(() => {
    const { doc } = view.current!.state;
    if (doc.toString() === value) return;
    view.current!.dispatch({ changes: { from: 0, to: doc.length, insert: value }, selection: { anchor: value.length }, scrollIntoView: true });
  }, [version]);
  useEffect(() => {
    const { doc } = view.current!.state;
    const all = mistakes.map((m): Diagnostic => {
      const line = doc.line(Math.min(Math.max(1, m.line), doc.lines));
      const from = Math.min(line.from + Math.max(0, m.column - 1), line.to);
      return { from, to: Math.max(from, line.to), severity: "error", message: m.message };
    });
    view.current!.dispatch(setDiagnostics(view.current!.state, all));
  }, [mistakes]);
  return <div class="editor" ref={host} />;
}
