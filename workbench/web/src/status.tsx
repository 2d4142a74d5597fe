import { service } from "./api";
import { useLoad } from "./load";
import { createStore, useStore } from "./store";

const said = createStore("");

// say shows a sentence in the line at the bottom, and readers of screens speak it.
export function say(text: string) {
  said.set(text);
}

interface Status {
  version?: string;
  generation?: string;
}

// StatusLine names the daemon, and what was said last.
export function StatusLine({ about }: { about: string }) {
  const { value } = useLoad((signal) => service<Status>("AdminService/GetStatus", {}, signal), [about]);
  const text = useStore(said);
  return (
    <footer class="status">
      <span role="status">{text}</span>
      {value && (
        <span>
          dragoman {value.version || "(no version)"} · snapshot {value.generation ?? "0"}
        </span>
      )}
    </footer>
  );
}
