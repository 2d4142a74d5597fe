import { useEffect, useRef, useState } from "preact/hooks";
import { DiffText } from "../../parts/difftext";
import { useRoute } from "../../route";
import type { Comparison, Finding, Learned } from "../template";

// Comparisons shows each question as two renderings, their difference, and what it taught.
export function Comparisons({ learned }: { learned: Learned }) {
  const [whole, setWhole] = useState(false);
  const [, , , id] = useRoute();
  const all = learned.explanation.comparisons;
  return (
    <>
      <label class="check">
        <input type="checkbox" checked={whole} onChange={(e) => setWhole(e.currentTarget.checked)} /> Whole renderings
      </label>
      {all.map((c) => (
        <One key={c.id} comparison={c} learned={learned} whole={whole} named={c.id === id} />
      ))}
    </>
  );
}

function One({ comparison: c, learned, whole, named }: { comparison: Comparison; learned: Learned; whole: boolean; named: boolean }) {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!named || !box.current) return;
    box.current.open = true;
    box.current.scrollIntoView();
    box.current.querySelector("summary")!.focus();
  }, [named]);
  const split = learned.renderings[c.id];
  const taught = (learned.explanation.dialect ?? []).filter((f) => f.by.split(/[^A-Za-z0-9-]+/).includes(c.id));
  return (
    <details class="comparison" ref={box} open={taught.length > 0}>
      <summary>
        <strong>{c.id}</strong> {c.question} <Outcome comparison={c} taught={taught} />
      </summary>
      {split && (
        <>
          <p class="quiet">{c.differs}</p>
          {split.left || split.right ? (
            <DiffText split={split} names={[c.a, c.b]} whole={whole} marks={taught.map((f) => ({ text: f.value, title: f.field }))} />
          ) : (
            <p>Both renderings are the same.</p>
          )}
          {taught.length > 0 && (
            <dl class="taught">
              {taught.map((f) => (
                <div key={f.field}>
                  <dt>
                    <code>{f.field}</code>
                  </dt>
                  <dd>
                    <code>{JSON.stringify(f.value)}</code>
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </>
      )}
    </details>
  );
}

function Outcome({ comparison: c, taught }: { comparison: Comparison; taught: Finding[] }) {
  if (c.skipped) return <span class="quiet">not asked: the template cannot do it</span>;
  if (c.error) return <span class="bad">no answer: {c.error}</span>;
  if (taught.length === 0) return <span class="quiet">taught nothing that is kept</span>;
  return <span class="good">taught {taught.length === 1 ? taught[0]!.field : `${taught.length} fields`}</span>;
}
