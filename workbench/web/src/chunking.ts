// Ways to cut an output into chunks. Law 1: none of them changes what is read.

export interface Chunking {
  id: string;
  title: string;
  lengths: (bytes: number) => number[];
}

const every = (n: number) => (bytes: number) => Array.from({ length: Math.floor(bytes / n) }, () => n);

// likeTokens cuts in pieces of one to seven bytes, the same each time.
function likeTokens(bytes: number): number[] {
  const all: number[] = [];
  let seed = 1;
  for (let left = bytes; left > 0; ) {
    seed = (seed * 48271) % 0x7fffffff;
    const n = Math.min(left, 1 + (seed % 7));
    all.push(n);
    left -= n;
  }
  return all;
}

export const chunkings: Chunking[] = [
  { id: "tokens", title: "like tokens", lengths: likeTokens },
  { id: "1", title: "1 byte", lengths: every(1) },
  { id: "16", title: "16 bytes", lengths: every(16) },
  { id: "256", title: "256 bytes", lengths: every(256) },
  { id: "whole", title: "the whole output", lengths: () => [] },
];
