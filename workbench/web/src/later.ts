import { useEffect, useState } from "preact/hooks";

const pause = 250; // milliseconds

// useLater returns a value that is being typed once it has settled.
export function useLater<T>(value: T): T {
  const [settled, set] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => set(value), pause);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
