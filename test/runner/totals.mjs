// The totals of every kind that ran, one JSON line each, so that several commands can close with one sum.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

export const resultsFolder = join(import.meta.dirname, "../results");
const totalsFile = join(resultsFolder, "totals.jsonl");

/** Forgets what earlier commands recorded. */
export function clearTotals() {
  rmSync(totalsFile, { force: true });
}

/** @param {{ kind: string, passed: number, failed: number }[]} totals */
export function recordTotals(totals) {
  mkdirSync(resultsFolder, { recursive: true });
  appendFileSync(totalsFile, totals.map((total) => `${JSON.stringify(total)}\n`).join(""));
}

/** What was recorded, each kind once: of several runs of a kind the worst counts. */
export function recordedTotals() {
  if (!existsSync(totalsFile)) return [];
  const byKind = new Map();
  for (const line of readFileSync(totalsFile, "utf8").split("\n").filter(Boolean)) {
    const total = JSON.parse(line);
    const known = byKind.get(total.kind);
    if (!known || isWorse(total, known)) byKind.set(total.kind, total);
  }
  return [...byKind.values()];
}

function isWorse(total, known) {
  return total.failed > known.failed || (total.failed === known.failed && total.passed > known.passed);
}

/** The plain line that closes a run. */
export function closingLine(totals) {
  const sum = (field) => totals.reduce((total, each) => total + each[field], 0);
  return `${sum("passed")} passed, ${sum("failed")} failed`;
}
