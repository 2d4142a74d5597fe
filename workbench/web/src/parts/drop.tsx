import { useState } from "preact/hooks";
import { type Fault, sendFile } from "../api";
import { draftID, setDraft, type Subject } from "../draft";
import { goTo } from "../route";
import { say } from "../status";
import { FaultBox } from "./fault";

// headerBytes is how much of a file is sent: more than the header of any GGUF.
const headerBytes = 24 << 20;

// Drop makes a draft of a template that is pasted or dropped.
export function Drop() {
  const [over, setOver] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const [several, setSeveral] = useState<Subject[]>([]);
  const open = (subject: Subject) => {
    setDraft(subject);
    say(`${subject.name} is your draft now`);
    goTo("template", draftID);
  };
  const read = async (file: File | undefined) => {
    if (!file) return;
    setFault(null);
    say(`Reading ${file.name} …`);
    try {
      const { templates } = await sendFile<{ templates: Subject[] }>("file", file.name, file.slice(0, headerBytes));
      if (templates.length === 1) open(templates[0]!);
      else setSeveral(templates);
    } catch (err) {
      say("");
      setFault(err as Fault);
    }
  };
  const paste = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name));
    open({ name: text("name").trim() || "draft", source: text("source"), bos_token: text("bos"), eos_token: text("eos") });
  };
  return (
    <section aria-labelledby="drop-title">
      <h3 id="drop-title">Look at another one</h3>
      <div
        class={"drop" + (over ? " over" : "")}
        onDragOver={(e) => {
          e.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(e) => {
          e.preventDefault();
          setOver(false);
          void read(e.dataTransfer?.files[0]);
        }}
      >
        <label class="field">
          A .jinja, tokenizer_config.json or .gguf, of which only the header is read: drop it here, or choose it
          <input type="file" accept=".jinja,.json,.gguf" onChange={(e) => void read(e.currentTarget.files?.[0])} />
        </label>
      </div>
      {fault && <FaultBox fault={fault} />}
      {several.length > 0 && (
        <p>
          The file has several templates:{" "}
          {several.map((t) => (
            <button type="button" key={t.name} onClick={() => open(t)}>
              {t.name}
            </button>
          ))}
        </p>
      )}
      <details>
        <summary>Or paste the text of a template</summary>
        <form onSubmit={paste} class="stack">
          <label class="field">
            Text
            <textarea name="source" rows={10} required spellcheck={false} />
          </label>
          <div class="row">
            <label class="field">
              Name
              <input name="name" placeholder="draft" />
            </label>
            <label class="field">
              bos_token
              <input name="bos" />
            </label>
            <label class="field">
              eos_token
              <input name="eos" />
            </label>
            <button type="submit" class="main">
              Read it
            </button>
          </div>
        </form>
      </details>
    </section>
  );
}
