import type { ComponentChildren } from "preact";

// Split is what two texts have in common at their ends, and what each has in between.
export interface Split {
  prefix: string;
  left: string;
  right: string;
  suffix: string;
}

// Mark is a text to be found in the difference, and what it is.
export interface Mark {
  text: string;
  title: string;
}

interface Props {
  split: Split;
  names: [string, string];
  marks: Mark[];
  whole: boolean; // show all of what both have in common
}

// nearby is how much of the common text is shown on either side, in characters.
const nearby = 160;

// DiffText shows two texts side by side, with their difference and the marks in it.
export function DiffText({ split, names, marks, whole }: Props) {
  const before = whole ? split.prefix : cut(split.prefix.slice(-nearby), split.prefix.length > nearby, "start");
  const after = whole ? split.suffix : cut(split.suffix.slice(0, nearby), split.suffix.length > nearby, "end");
  const side = (name: string, text: string, kind: "del" | "ins") => {
    const Changed = kind;
    return (
      <figure class="side">
        <figcaption>{name}</figcaption>
        <pre tabIndex={0} aria-label={name}>
          <span class="common">{before}</span>
          {text && <Changed>{marked(text, marks)}</Changed>}
          <span class="common">{after}</span>
        </pre>
      </figure>
    );
  };
  return (
    <div class="sides">
      {side(names[0], split.left, "del")}
      {side(names[1], split.right, "ins")}
    </div>
  );
}

function cut(text: string, shortened: boolean, at: "start" | "end"): string {
  if (!shortened) return text;
  return at === "start" ? "… " + text : text + " …";
}

// marked returns a text with its marks, and visible line breaks.
export function marked(text: string, marks: Mark[]): ComponentChildren[] {
  const out: ComponentChildren[] = [];
  for (let rest = text; rest; ) {
    let at = -1;
    let next: Mark | undefined;
    for (const mark of marks) {
      const found = mark.text ? rest.indexOf(mark.text) : -1;
      if (found >= 0 && (at < 0 || found < at || (found === at && mark.text.length > next!.text.length))) [at, next] = [found, mark];
    }
    if (!next) {
      out.push(visible(rest));
      break;
    }
    out.push(visible(rest.slice(0, at)), <mark title={next.title}>{visible(next.text)}</mark>);
    rest = rest.slice(at + next.text.length);
  }
  return out;
}

// visible shows where lines break.
export function visible(text: string): string {
  return text.replaceAll("\n", "↵\n");
}
