// The theme follows the system's, unless it is chosen here; the choice is kept in this browser.

import { useState } from "preact/hooks";

type Theme = "system" | "light" | "dark";

const key = "dragoman.theme";

function apply(theme: Theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

const saved = (): Theme => (localStorage.getItem(key) as Theme | null) ?? "system";
apply(saved());

export function ThemeSwitch() {
  const [theme, set] = useState(saved());
  const choose = (next: Theme) => {
    localStorage.setItem(key, next);
    apply(next);
    set(next);
  };
  return (
    <label class="theme">
      <span class="hidden">Theme</span>
      <select value={theme} onChange={(e) => choose(e.currentTarget.value as Theme)}>
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
