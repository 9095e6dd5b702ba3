import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import { App } from "./app.js";
import "./styles/page.css";
import "./styles/parts.css";
import "./styles/panels.css";

render(<App />, document.getElementById("app")!);
