import { useEffect } from "preact/hooks";
import { refused } from "./api";
import { SignIn } from "./parts/signin";
import { hrefOf, useRoute } from "./route";
import { StatusLine } from "./status";
import { useStore } from "./store";
import { ThemeSwitch } from "./theme";
import { views } from "./views";

// Shell is the page around the views: their tabs, the theme, the form for the token, and the line that states what is going on.
export function Shell() {
  const [id, ...path] = useRoute();
  const view = views.find((v) => v.id === id) ?? views[0]!;
  const fault = useStore(refused);
  useEffect(() => {
    document.title = view.title + " · Dragoman workbench";
  }, [view]);
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the view
      </a>
      <header class="bar">
        <h1>Dragoman</h1>
        <nav aria-label="Views">
          {views.map((v) => (
            <a key={v.id} href={hrefOf(v.id)} aria-current={v === view ? "page" : undefined}>
              {v.title}
            </a>
          ))}
        </nav>
        <ThemeSwitch />
      </header>
      <main id="main" tabIndex={-1}>
        {fault ? <SignIn why={fault} /> : <view.component key={view.id} path={path} />}
      </main>
      <StatusLine about={view.id} />
    </>
  );
}

// skip moves the focus without changing the address, which names a view.
function skip(event: Event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
