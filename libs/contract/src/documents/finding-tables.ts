import { FINDINGS } from "@tickwheel/core";
import { table } from "./markdown.js";

/** The table of findings; each code leads to its paragraph in the same document. */
export function findingTables(): Record<"findings", string> {
  const rows = Object.entries(FINDINGS).map(([name, { severity, title }]) => [
    `[${name}](#${name.toLowerCase()})`,
    severity,
    title,
  ]);
  return { findings: table(["code", "severity", "what is the matter"], rows) };
}
