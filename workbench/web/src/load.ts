import { useEffect, useState } from "preact/hooks";
import { type Fault, isAbort, token } from "./api";
import { useStore } from "./store";

// Loaded is what is known of an answer: a value that is loading again is still shown.
export interface Loaded<T> {
  value?: T;
  fault?: Fault;
  loading: boolean;
}

// useLoad asks again whenever deps or the token change, and gives up what is still on its way. A load of null asks nothing.
export function useLoad<T>(load: ((signal: AbortSignal) => Promise<T>) | null, deps: unknown[]): Loaded<T> {
  const [state, set] = useState<Loaded<T>>({ loading: load !== null });
  const key = useStore(token);
  useEffect(() => {
    if (!load) {
      set({ loading: false });
      return;
    }
    const stop = new AbortController();
    set((was) => ({ ...was, loading: true }));
    load(stop.signal).then(
      (value) => !stop.signal.aborted && set({ value, loading: false }),
      (fault) => !stop.signal.aborted && !isAbort(fault) && set({ fault, loading: false }),
    );
    return () => stop.abort();
  }, [...deps, key]);
  return state;
}
