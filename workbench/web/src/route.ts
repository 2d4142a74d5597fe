// The address of what is shown: "#/VIEW/PART/PART". Going back in the browser goes back in the page.

import { createStore, useStore } from "./store";

const read = () => location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);

const route = createStore(read());
addEventListener("hashchange", () => route.set(read()));

// useRoute returns the parts of the address.
export function useRoute(): string[] {
  return useStore(route);
}

// hrefOf returns the address of a view.
export function hrefOf(...parts: string[]): string {
  return "#/" + parts.map(encodeURIComponent).join("/");
}

export function goTo(...parts: string[]) {
  location.hash = hrefOf(...parts);
}
