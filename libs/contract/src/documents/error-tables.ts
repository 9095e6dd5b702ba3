import { type ErrorEntry, ERRORS } from "@tickwheel/core";
import { code, table } from "./markdown.js";

const entries: [string, ErrorEntry][] = Object.entries(ERRORS);

/** The table of error codes, and the cases of those codes that have several. */
export function errorTables(): Record<"errors" | "error-cases", string> {
  const rows = entries.map(([name, { status, text, cases, cure }]) => [
    code(name),
    String(status),
    cases ? `${text} [Cases](#cases).` : text,
    cure,
  ]);
  const lists = entries.flatMap(([name, { cases }]) =>
    cases ? [`- ${code(name)}:`, ...cases.map((one) => `  - ${one}`)] : [],
  );
  return { errors: table(["code", "status", "when", "what to do"], rows), "error-cases": lists.join("\n") };
}
