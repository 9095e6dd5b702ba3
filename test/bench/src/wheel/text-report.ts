import { byTitle, comparedFigures, type Comparison, compare, REASON_SEPARATOR, type Result } from "./result.js";
import { figureNames } from "./sample.js";

const HEAD = ["", "insert", "cancel", "resched.", "fire", "total", "bytes", "poll ms", "gc ms", "reps"];
const RATIO_HEAD = ["times wheel", "insert", "cancel", "resched.", "fire", "total"];

/**
 * A table for every size and load: the figures, then the others' as multiples of the wheel's; at last what did not run.
 */
export function textReport(results: readonly Result[]): string {
  const parts = [...byTitle(results)].flatMap(([title, group]) => [
    `${title} (ns per operation, medians)`,
    figuresOf(group),
    "",
  ]);
  return [...parts, ...notRunLines(results)].join("\n");
}

function figuresOf(group: readonly Result[]): string {
  const rows = group.filter(({ reps }) => reps > 0).map(rowOf);
  const ratios = compare(group).map(ratioRowOf);
  const sheet = [HEAD, ...rows, ...(ratios.length > 0 ? [[], RATIO_HEAD, ...ratios] : [])];
  const widths = HEAD.map((_, column) => Math.max(...sheet.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  ");
  return sheet.map((row) => line(row).trimEnd()).join("\n");
}

function rowOf(result: Result): string[] {
  const cells = figureNames.map((name) => shown(result[name], name.endsWith("Ms") ? 2 : 0));
  return [result.impl, ...cells, String(result.reps)];
}

function ratioRowOf({ impl, ratios }: Comparison): string[] {
  return [impl, ...comparedFigures.map((name) => shown(ratios[name], 2))];
}

function shown(value: number | null, decimals: number): string {
  return value === null ? "–" : value.toFixed(decimals);
}

/** One line for each reason, with the implementations and loads that it concerns. */
function notRunLines(results: readonly Result[]): string[] {
  const byReason = new Map<string, { impls: Set<string>; loads: Set<string> }>();
  for (const { impl, load, notRun } of results) {
    for (const reason of notRun?.split(REASON_SEPARATOR) ?? []) {
      const concerned = byReason.get(reason) ?? { impls: new Set(), loads: new Set() };
      concerned.impls.add(impl);
      concerned.loads.add(load);
      byReason.set(reason, concerned);
    }
  }
  const list = (names: Set<string>): string => [...names].join(", ");
  return [...byReason].map(([reason, { impls, loads }]) => `– ${reason} (${list(impls)}; ${list(loads)})`);
}
