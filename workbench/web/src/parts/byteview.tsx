import { useRef } from "preact/hooks";

// Piece is a run of bytes of one kind.
export interface Piece {
  text: string;
  kind: string; // the class that colours it
  label: string; // what it is, for readers of screens and in the tip
}

interface Props {
  label: string;
  pieces: Piece[];
  selected: number; // -1: none
  onSelect: (index: number) => void;
}

// ByteView shows a text in the colours of its pieces. One of them is in the order of the keyboard; arrows move to the others.
export function ByteView({ label, pieces, selected, onSelect }: Props) {
  const box = useRef<HTMLPreElement>(null);
  const move = (event: KeyboardEvent, index: number) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" || event.key === " ") onSelect(index);
    else if (step === undefined) return;
    else if (pieces[index + step]) {
      onSelect(index + step);
      box.current?.querySelectorAll<HTMLElement>("[role=button]")[index + step]?.focus();
    }
    event.preventDefault();
  };
  return (
    <pre class="bytes" ref={box} role="group" aria-label={label}>
      {pieces.map((p, n) => (
        <span
          key={n}
          role="button"
          tabIndex={n === Math.max(0, selected) ? 0 : -1}
          aria-pressed={n === selected}
          title={p.label}
          class={"piece " + p.kind}
          onClick={() => onSelect(n)}
          onKeyDown={(e) => move(e, n)}
        >
          {p.text}
          <span class="hidden">, {p.label}</span>
        </span>
      ))}
    </pre>
  );
}
