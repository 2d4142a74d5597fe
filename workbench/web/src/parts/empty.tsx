import type { ComponentChildren } from "preact";

// Empty stands where there is nothing to show, and says why.
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
