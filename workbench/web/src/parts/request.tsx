import { request, setRequest } from "../request";
import { useStore } from "../store";

// RequestEditor edits the request, in OpenAI's JSON.
export function RequestEditor() {
  const text = useStore(request);
  const wrong = faultIn(text);
  return (
    <details>
      <summary>The request{wrong ? ", which is not valid JSON" : " with its tools"}</summary>
      <label class="field">
        A chat request in OpenAI's JSON
        <textarea rows={12} spellcheck={false} value={text} onInput={(e) => setRequest(e.currentTarget.value)} aria-invalid={wrong !== ""} />
      </label>
      {wrong && <p class="bad">{wrong}</p>}
    </details>
  );
}

function faultIn(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (err) {
    return (err as Error).message;
  }
}
