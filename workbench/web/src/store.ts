import { useEffect, useState } from "preact/hooks";

// Store is a value that several components show.
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(notify: () => void): () => void;
}

export function createStore<T>(value: T): Store<T> {
  const all = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      all.forEach((notify) => notify());
    },
    subscribe(notify) {
      all.add(notify);
      return () => void all.delete(notify);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  const [, changed] = useState(0);
  useEffect(() => store.subscribe(() => changed((n) => n + 1)), [store]);
  return store.get();
}
