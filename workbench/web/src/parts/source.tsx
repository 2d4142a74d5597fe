import { useEffect, useRef } from "preact/hooks";

// Source shows a text with the numbers of its lines, and brings the line at hand into view.
export function Source({ text, line, label }: { text: string; line?: number; label: string }) {
  const at = useRef<HTMLLIElement>(null);
  useEffect(() => at.current?.scrollIntoView({ block: "nearest" }), [line, text]);
  return (
    <ol class="source" tabIndex={0} aria-label={label}>
      {text.split("\n").map((one, n) => (
        <li key={n} ref={n + 1 === line ? at : undefined} class={n + 1 === line ? "here" : undefined} aria-current={n + 1 === line ? "location" : undefined}>
          <code>{one || " "}</code>
        </li>
      ))}
    </ol>
  );
}
