// How the daemon reads an output, as POST /workbench/api/output answers.

import { textOf } from "./bytes";
import type { Piece } from "./parts/byteview";

export interface OutputEvent {
  kind: string;
  text?: string;
  recovered?: boolean;
  open?: boolean;
  from: number;
  to: number;
}

export interface Step {
  to: number;
  held: number;
  events?: OutputEvent[];
  deltas?: Record<string, unknown[]>; // by API
  rules?: string[];
  next?: string[];
  recovering?: boolean;
}

export interface Span {
  region: string;
  start: number;
  end: number;
}

export interface Report {
  status: string;
  spans?: Span[];
  faults?: { at: number; message: string }[];
  missing_markers?: { marker: string; at: number; count: number }[];
  unknown_tools?: string[];
  notes?: string[];
  max_held: number;
}

export interface Reading {
  handler: string;
  generation_prompt: string;
  has_program: boolean;
  steps: Step[];
  readers: { rule: string; node: string }[];
  claims: [number, number, number][];
  message: unknown;
  finish_reason: string;
  report: Report;
  refused?: string;
}

// Part is a run of bytes of one region that one reader has read.
export interface Part {
  region: string;
  start: number;
  end: number;
  reader: number; // -1: nothing is known of it
}

// regions names the regions as people say them.
export const regions: Record<string, string> = {
  prompt: "generation prompt",
  content: "content",
  reasoning: "reasoning",
  call: "call",
  marker: "marker",
  space: "trimmed white space",
  recovered: "recovered: the output broke the format",
  open: "open: never completed",
  held: "held: not decided yet",
  later: "not received yet",
};

// partsOf cuts an output wherever its region or its reader changes.
export function partsOf(reading: Reading, length: number): Part[] {
  const spans = reading.report.spans ?? [{ region: "content", start: 0, end: length }];
  const parts: Part[] = [];
  let claim = 0;
  for (const span of spans) {
    let at = span.start;
    while (at < span.end) {
      while (claim < reading.claims.length && reading.claims[claim]![2] <= at) claim++;
      const [reader, from, to] = reading.claims[claim] ?? [-1, length, length];
      const within = from <= at;
      const end = Math.min(span.end, within ? to : from);
      parts.push({ region: span.region, start: at, end, reader: within ? reader : -1 });
      at = end;
    }
  }
  return parts;
}

// at returns the parts as they are known after a step: some are undecided, and some did not come yet.
export function at(parts: Part[], step: Step, prompt: number, last: boolean): Part[] {
  const fed = prompt + step.to;
  const decided = last ? fed : fed - step.held;
  const known: Part[] = [];
  const add = (part: Part, region: string, start: number, end: number) => {
    if (start < end) known.push({ ...part, region, start, end });
  };
  for (const p of parts) {
    add(p, p.region, p.start, Math.min(p.end, decided));
    add(p, "held", Math.max(p.start, decided), Math.min(p.end, fed));
    add(p, "later", Math.max(p.start, fed), p.end);
  }
  return known;
}

// piecesOf returns parts for ByteView. Blanks that stand alone are made visible.
export function piecesOf(parts: Part[], bytes: Uint8Array): Piece[] {
  return parts.map((p) => {
    const text = textOf(bytes.subarray(p.start, p.end));
    const visible = text.trim() ? text : text.replaceAll(" ", "·").replaceAll("\n", "⏎\n").replaceAll("\t", "⇥");
    return { text: visible, kind: p.region, label: regions[p.region] ?? p.region };
  });
}
