import { render } from "preact";
import { App } from "./app.js";
import { restore } from "./session/session.js";
import { loadInter } from "./styles/inter.js";

const app = document.getElementById("app")!;

// Until it is known whether a session lives, the skeleton of `index.html` stays.
void restore().finally(() => {
  app.replaceChildren();
  render(<App />, app);
});
requestAnimationFrame(() => setTimeout(() => void loadInter()));
