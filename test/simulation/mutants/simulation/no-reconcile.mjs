// Nothing that runs under a node and that the node does not know of is ever in doubt.
import { replaceFunction } from "../replacing.mjs";

export const says = "rows in doubt are not reconciled";
export const breaks = ["in-doubt-released"];

export function plant() {
  replaceFunction("engine/recovery/in-doubt.js", "inDoubt", () => () => []);
}
