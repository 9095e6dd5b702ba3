import type { JsonReport, Result } from "./result.js";

/** The columns of {@link rowOf}. */
export const HEAD = ["", "per second", "p50 ms", "p95 ms", "p99 ms", "max ms", "CPU s", "lost", "early", "doubled"];

/** A table of medians, the job's own figures below it, and ours as a multiple of each other. */
export function textReport({ job, node, postgres, redis, results, ratios }: JsonReport): string {
  const times = Object.entries(ratios).map(([peer, value]) => `${peer} ${shown(value)}`);
  return [
    `${job}, Node ${node}`,
    `Postgres ${postgres}`,
    `Redis ${redis}`,
    "",
    ...linesOf([HEAD, ...results.map(rowOf)]),
    "",
    ...cellSheets(results).flatMap((sheet) => [...linesOf(sheet), ""]),
    ...results.map(figuresLine),
    ...(times.length > 0 ? ["", `ours ÷ theirs, per second: ${times.join(", ")}`] : []),
  ].join("\n");
}

/** A table as lines of text. */
function linesOf(sheet: readonly (readonly string[])[]): string[] {
  const widths = sheet[0]!.map((_, column) => Math.max(...sheet.map((row) => row[column]!.length)));
  return sheet.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  "),
  );
}

/** The figures of cells, where the job has any, as one table: its head, then a row for each cell of each contestant. */
export function cellSheets(results: readonly Result[]): string[][][] {
  const rows = results.flatMap((result) =>
    Object.entries(result.cells ?? {}).map(([cell, figures]) => ({ cell, result, figures })),
  );
  if (rows.length === 0) return [];
  const names = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const order = [...new Set(rows.map(({ cell }) => cell))];
  const sorted = order.flatMap((name) => rows.filter(({ cell }) => cell === name));
  const lines = sorted.map(({ cell, result, figures }) => [
    `${cell}: ${nameOf(result)}`,
    ...names.map((name) => shown(figures[name] ?? null)),
  ]);
  return [[["", ...names], ...lines]];
}

/** A contestant's medians, and what went wrong in all repetitions. */
export function rowOf({ latenessMs, ...result }: Result): string[] {
  const { p50, p95, p99, max } = latenessMs;
  const cells = [result.perSecond, p50, p95, p99, max, result.cpuSeconds].map(shown);
  return [nameOf(result), ...cells, ...[result.lost, result.early, result.duplicates].map(String)];
}

/** A contestant's own figures. */
export function figuresLine(result: Result): string {
  const figures = Object.entries(result.figures).map(
    ([name, value]) => `${name} ${name.endsWith("PerTask") ? shownPerTask(value) : shown(value)}`,
  );
  return `${nameOf(result)}: ${result.reps.length} repetitions${figures.map((figure) => `, ${figure}`).join("")}`;
}

/** A contestant and its settings. */
export function nameOf({ peer, settings }: Pick<Result, "peer" | "settings">): string {
  return `${peer} (${settings})`;
}

/** What a task costs, which may be little: with two digits where two decimals say less. */
export function shownPerTask(value: number | null): string {
  const isLittle = value !== null && value !== 0 && Math.abs(value) < 0.1;
  return isLittle ? String(Number(value.toPrecision(2))) : shown(value);
}

/** A number for people; – where there is none. */
export function shown(value: number | null): string {
  if (value === null) return "–";
  return Math.abs(value) < 100 ? value.toFixed(2) : Math.round(value).toLocaleString("en");
}
