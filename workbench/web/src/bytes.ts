// An output is bytes: a model may stop within a character.

const decoder = new TextDecoder();
const encoder = new TextEncoder();

// textOf returns bytes as text, in which what is not UTF-8 is replaced.
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

export function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

// base64Of returns bytes as JSON carries them.
export function base64Of(bytes: Uint8Array): string {
  let binary = "";
  const block = 0x8000; // as many arguments as a call may have everywhere
  for (let at = 0; at < bytes.length; at += block) binary += String.fromCharCode(...bytes.subarray(at, at + block));
  return btoa(binary);
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

// counted returns "1 byte" or "2 bytes".
export function counted(n: number, one: string): string {
  return `${n} ${one}${n === 1 ? "" : "s"}`;
}
