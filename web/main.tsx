// Where the page begins.

import { render } from "preact";
import { takeHandoff } from "./handoff/take.ts";
import { App } from "./shell/app.tsx";

// A browser may keep a page that was left, and show it again as it was: with the vault open.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});

render(<App handoff={takeHandoff()} />, document.getElementById("page")!);
