// Nobody knows which tasks ran in a blocked loop when their node died: they start at once, all together.
import { replaceFunction } from "../replacing.mjs";

export const says = "suspects are forgotten";
export const breaks = ["one-suspect-at-a-time", "suspect-alone-of-its-type"];

export function plant() {
  replaceFunction("testing/statements/quarantine-statements.js", "suspectsAmong", () => () => []);
}
