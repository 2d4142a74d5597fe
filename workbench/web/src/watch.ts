// A stream of messages from a service, in Connect's format: a byte of flags, four bytes of length, and JSON.

import { useEffect, useState } from "preact/hooks";
import { Fault, faultOf, isAbort, send, token } from "./api";
import { bytesOf, concat, textOf } from "./bytes";
import { useStore } from "./store";

const header = 5;
const ended = 2; // the flag of the last message, which has the error, if there is one

function frame(message: unknown): Uint8Array<ArrayBuffer> {
  const text = bytesOf(JSON.stringify(message));
  const head = new Uint8Array(header);
  new DataView(head.buffer).setUint32(1, text.length);
  return concat(head, text);
}

// messages asks a service for a stream, and yields its messages as they come.
async function* messages<T>(method: string, body: unknown, signal: AbortSignal): AsyncGenerator<T> {
  const answer = await send("../dragoman.v1." + method, "application/connect+json", frame(body), signal);
  const reader = answer.body!.getReader();
  let rest = new Uint8Array();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest = concat(rest, value);
    while (rest.length >= header) {
      const length = new DataView(rest.buffer, rest.byteOffset).getUint32(1);
      if (rest.length < header + length) break;
      const one = JSON.parse(textOf(rest.subarray(header, header + length)));
      if (rest[0]! & ended) {
        if (one.error) throw faultOf(one, "internal");
        return;
      }
      rest = rest.slice(header + length);
      yield one;
    }
  }
}

// useWatch collects the messages of a stream, the newest first and at most that many. A stream that ends is begun again, after a
// pause that grows while it fails.
export function useWatch<T>(method: string, body: unknown, most: number): { list: T[]; fault?: Fault } {
  const [state, set] = useState<{ list: T[]; fault?: Fault }>({ list: [] });
  const key = useStore(token);
  useEffect(() => {
    const stop = new AbortController();
    void (async () => {
      for (let pause = 1000; !stop.signal.aborted; pause = Math.min(2 * pause, 30_000)) {
        try {
          for await (const one of messages<T>(method, body, stop.signal)) {
            pause = 1000;
            set((was) => ({ list: [one, ...was.list].slice(0, most) }));
          }
        } catch (fault) {
          if (isAbort(fault)) return;
          set((was) => ({ ...was, fault: fault instanceof Fault ? fault : new Fault("unavailable", "the stream broke off") }));
        }
        await new Promise((next) => setTimeout(next, pause));
      }
    })();
    return () => stop.abort();
  }, [method, key]);
  return state;
}
