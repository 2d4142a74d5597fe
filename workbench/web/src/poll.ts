import { useEffect, useState } from "preact/hooks";
import { type Fault, isAbort, token } from "./api";
import type { Loaded } from "./load";
import { useStore } from "./store";

const longest = 30_000;

// usePoll asks again after each answer, in that many milliseconds; not while nobody looks, and more rarely while it fails. again
// asks at once.
export function usePoll<T>(load: (signal: AbortSignal) => Promise<T>, every: number): Loaded<T> & { again: () => void } {
  const [state, set] = useState<Loaded<T>>({ loading: true });
  const [round, next] = useState(0);
  const key = useStore(token);
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    let pause = every;
    const ask = async () => {
      if (!document.hidden) {
        try {
          const value = await load(stop.signal);
          if (stop.signal.aborted) return;
          pause = every;
          set({ value, loading: false });
        } catch (fault) {
          if (stop.signal.aborted || isAbort(fault)) return;
          pause = Math.min(2 * pause, longest);
          set((was) => ({ ...was, fault: fault as Fault, loading: false }));
        }
      }
      timer = window.setTimeout(() => void ask(), pause);
    };
    void ask();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [every, round, key]);
  return { ...state, again: () => next((n) => n + 1) };
}
