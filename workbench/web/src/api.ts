// How the page asks the daemon. Addresses are relative to the page, so that a proxy may add a prefix.
//
// Every error that a view sees is a Fault, with what the daemon says about it: its code, the place, and the remedy.

import { createStore } from "./store";

export class Fault extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly place = "",
    readonly remedy = "",
  ) {
    super(message);
  }
}

const tokenKey = "dragoman.token";

// token is the operator's, kept for this tab alone; "" sends none.
export const token = createStore(sessionStorage.getItem(tokenKey) ?? "");

// refused is why the daemon wants another token; null if it does not.
export const refused = createStore<Fault | null>(null);

export function signIn(value: string) {
  sessionStorage.setItem(tokenKey, value);
  refused.set(null);
  token.set(value);
}

// call asks the page's own API: POST /workbench/api/NAME.
export function call<T>(name: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return ask("api/" + name, body, signal).then((answer) => answer.json());
}

// service asks a service of the daemon, such as "WorkaroundService/ListWorkarounds".
export function service<T>(method: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return ask("../dragoman.v1." + method, body, signal).then((answer) => answer.json());
}

// sendFile sends a file to the page's own API.
export function sendFile<T>(name: string, file: string, content: Blob, signal?: AbortSignal): Promise<T> {
  return send(`api/${name}?name=${encodeURIComponent(file)}`, "application/octet-stream", content, signal).then((answer) => answer.json());
}

// lines asks the page's own API for an answer that comes in lines of JSON, and yields each as it comes.
export async function* lines<T>(name: string, body: unknown, signal?: AbortSignal): AsyncGenerator<T> {
  const answer = await ask("api/" + name, body, signal);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const all = (rest + (value ?? "")).split("\n");
    rest = all.pop()!;
    for (const line of all) {
      const one = JSON.parse(line);
      if (one.error) throw faultOf(one, "internal");
      yield one;
    }
    if (done) return;
  }
}

function ask(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return send(path, "application/json", JSON.stringify(body), signal);
}

// send sends a body, and returns the answer before it was read.
export async function send(path: string, type: string, body: BodyInit, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { "Content-Type": type };
  if (token.get()) headers["Authorization"] = "Bearer " + token.get();
  let answer: Response;
  try {
    answer = await fetch(path, { method: "POST", headers, body, signal });
  } catch (err) {
    if (signal?.aborted) throw err;
    throw new Fault("unavailable", "the daemon does not answer", "", "see whether it runs, then try again");
  }
  if (answer.ok) return answer;
  const fault = faultOf(await answer.json().catch(() => ({})), "HTTP " + answer.status);
  if (answer.status === 401 || answer.status === 403) refused.set(fault);
  throw fault;
}

// faultOf reads an error of the page's API, {"error": {…}}, or of a service: {"code", "message", "details": [{"debug": {…}}]}.
export function faultOf(body: any, code: string): Fault {
  const e = body.error ?? body.details?.[0]?.debug ?? body;
  return new Fault(e.code ?? body.code ?? code, e.message ?? "no reason was given", e.place, e.remedy);
}

// isAbort reports whether an error only states that the request was given up.
export function isAbort(err: unknown): boolean {
  return err instanceof DOMException && err.name === "AbortError";
}
