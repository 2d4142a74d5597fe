// The draft: a template that is looked at before it is in force. It stays in this tab.

import { createStore } from "./store";

export interface Subject {
  name: string;
  source?: string;
  bos_token?: string;
  eos_token?: string;
}

// draftID is the name of the draft in addresses; no template in force can have it.
export const draftID = "~draft";

const key = "dragoman.draft";
const saved = sessionStorage.getItem(key);

export const draft = createStore<Subject | null>(saved ? JSON.parse(saved) : null);

export function setDraft(subject: Subject) {
  try {
    sessionStorage.setItem(key, JSON.stringify(subject));
  } catch {
    // too large to survive a reload of the page
  }
  draft.set(subject);
}

// subjectOf returns the template that an address names; null if it is the draft, and there is none.
export function subjectOf(name: string): Subject | null {
  return name === draftID ? draft.get() : { name };
}
