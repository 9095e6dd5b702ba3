import type { SavedReport } from "./benchmark-files.js";
import type { Result } from "./result.js";
import type { SettingsName } from "./contestants/contestant.js";
import { cellSheets, HEAD, nameOf, rowOf, shown, shownPerTask } from "./text-report.js";

/** Saved reports by the names of their files, without `.json`. */
export type SavedReports = ReadonlyMap<string, SavedReport>;

/** A line of the summary: what the contestants reached in one run. */
interface Line {
  title: string;
  file: string;
  /** Whether README has it, too. */
  decides?: boolean;
  /** The settings of the others. Default: their best, or what there is. */
  settings?: SettingsName;
  /** The settings of ours. Default: its defaults. */
  own?: SettingsName;
  /** Null: the contestant has no such figure. */
  cell: (result: Result) => string | null;
}

const COLUMNS = ["tickwheel", "bullmq", "pg-boss", "graphile-worker", "postgres"];
const HEADS = ["Tickwheel", "BullMQ", "pg-boss", "graphile-worker", "bare Postgres"];

const DATABASE_HEAD = ["job", "contestant", "WAL bytes", "commits", "dead versions"];
const DATABASE_FIGURES = ["walBytesPerTask", "commitsPerTask", "deadVersionsPerTask"];

const SHOWN_COLUMNS: ReadonlySet<string> = new Set(["", "per second", "p50 ms", "p99 ms", "max ms", "CPU s"]);

const perSecond = ({ perSecond: value }: Result): string | null => (value === null ? null : shown(value));
const lateness = ({ latenessMs: { p50, p99, max } }: Result): string | null =>
  p50 === null ? null : [p50, p99, max].map(shown).join(" / ");
const figure = (name: string) => (result: Result) => (name in result.figures ? shown(result.figures[name]!) : null);
const reached = (cell: string) => (result: Result) => {
  const percent = result.cells?.[cell]?.["reachedPercent"];
  return percent === undefined ? null : `${percent.toFixed(0)} %`;
};
const latest = ({ latenessMs: { max }, figures: { unfinished = 0 } }: Result): string | null => {
  if (unfinished > 0) return `${unfinished.toLocaleString("en")} did not`;
  return max === null ? null : shown(max / 1_000);
};

const LINES: readonly Line[] = [
  { title: "creates per second, 64 callers", file: "create", decides: true, cell: perSecond },
  { title: "a lone create, p50 in ms", file: "create-one", cell: figure("callP50Ms") },
  { title: "creates in bulk, per second", file: "bulk", cell: perSecond },
  { title: "lateness at 1,000/s, p50 / p99 / max ms", file: "steady", decides: true, cell: lateness },
  { title: "… with 1,000,000 pending", file: "steady-pending-1000000", cell: lateness },
  { title: "lateness at 5,000/s", file: "steady-rate-5000", cell: lateness },
  { title: "… with 1,000,000 pending", file: "steady-rate-5000-pending-1000000", cell: lateness },
  { title: "50,000 due at one instant, per second", file: "burst", decides: true, cell: perSecond },
  { title: "… ours keeps nothing, as graphile-worker", file: "burst", own: "lean", decides: true, cell: perSecond },
  { title: "cancels per second, 64 callers", file: "cancel", decides: true, cell: perSecond },
  { title: "… ours keeps nothing, as BullMQ", file: "cancel", own: "lean", decides: true, cell: perSecond },
  {
    title: "tasks of a killed worker run again, the last after s; others detect as fast as they document",
    file: "crash",
    decides: true,
    settings: "detection",
    cell: latest,
  },
  { title: "… others with their defaults", file: "crash", settings: "defaults", cell: latest },
  {
    title: "of what five at once on three workers allow, handlers of 50 ms",
    file: "limited",
    cell: reached("5 at once, 50 ms"),
  },
  { title: "… fifty at once", file: "limited", cell: reached("50 at once, 50 ms") },
  { title: "… a hundred a second", file: "limited", cell: reached("100/s") },
];

/** Who is advised by its own documents against the settings that it was measured with. */
const ADVISED_AGAINST: Partial<Record<string, SettingsName>> = { bullmq: "detection" };
const ADVICE_MARK = " †";
const ADVICE = [
  "† Against its documents' advice, which is to leave these settings alone: a worker that is too busy to renew its locks in",
  "time has its jobs run a second time.",
].join("\n");

/** A summary as Markdown: ours, each peer with its best settings, bare Postgres; of those runs that were saved. */
export function summaryTable(reports: SavedReports, suffix = ""): string {
  return tableOf(LINES, reports, suffix);
}

/** The lines of it that one chooses by. */
export function decidingTable(reports: SavedReports): string {
  return tableOf(
    LINES.filter(({ decides }) => decides),
    reports,
  );
}

function tableOf(lines: readonly Line[], reports: SavedReports, suffix = ""): string {
  const rows = lines.flatMap((line) => {
    const report = reports.get(`${line.file}${suffix}`);
    return report && hasOwn(report, line) ? [[line.title, ...COLUMNS.map((peer) => cellOf(report, peer, line))]] : [];
  });
  const table = markdownTable(["", ...HEADS], rows);
  return table.includes(ADVICE_MARK) ? `${table}\n\n${ADVICE}` : table;
}

/** A line about settings of ours is there once these were measured. */
function hasOwn({ results }: SavedReport, { own }: Line): boolean {
  return own === undefined || results.some(({ peer, settings }) => peer === "tickwheel" && settings === own);
}

/** What a task costs Postgres, by job and contestant, of those that were measured so; null: none was. */
export function databaseTable(reports: SavedReports): string | null {
  const rows = sorted(reports).flatMap(([file, { results }]) =>
    results.flatMap((result) => {
      const costs = DATABASE_FIGURES.map((name) => result.figures[name]);
      return costs.some((cost) => cost !== undefined)
        ? [[file, nameOf(result), ...costs.map((cost) => shownPerTask(cost ?? null))]]
        : [];
    }),
  );
  return rows.length === 0 ? null : markdownTable(DATABASE_HEAD, rows);
}

/** All that was measured, as a page: each saved run with its command, its machine and its medians. */
export function benchmarkPage(reports: SavedReports): string {
  const costs = databaseTable(reports);
  return [
    "# What was measured",
    "Each table is one run; medians of its repetitions; in none was a task lost, early or doubled. Ours has its defaults; so have the others where it says so. Absolute numbers move with the machine: read ratios within a table. `npm run bench -- tables` writes this page from the files beside it, which also have the settings of the servers and each contestant's further figures.",
    `## In short\n\n${summaryTable(reports)}`,
    ...(costs === null ? [] : [`## What a task costs the database\n\n${costs}`]),
    ...sorted(reports).map(([file, report]) => sectionOf(file, report)),
  ].join("\n\n");
}

/** By the names of their files. */
function sorted(reports: SavedReports): [string, SavedReport][] {
  return [...reports].sort(([one], [other]) => (one < other ? -1 : 1));
}

function cellOf({ results }: SavedReport, peer: string, { cell, settings, own = "defaults" }: Line): string {
  const isOurs = peer === "tickwheel";
  const ofPeer = results.filter((result) => result.peer === peer && (!isOurs || result.settings === own));
  const wanted = ofPeer.find((result) => result.settings === (settings ?? "best"));
  const result = wanted ?? (settings === undefined || isOurs ? ofPeer[0] : undefined);
  const text = result && cell(result);
  return text ? `${text}${ADVISED_AGAINST[peer] === result.settings ? ADVICE_MARK : ""}` : "–";
}

function sectionOf(file: string, { command, date, machine, postgres, results }: SavedReport): string {
  const [version] = postgres.split(" ");
  return [
    `## ${file}`,
    `\`${command}\`, ${date}; ${machine}; Postgres ${version}; [all figures](${file}.json)`,
    markdownTable(shortened(HEAD), results.map(rowOf).map(shortened)),
    ...cellSheets(results).map(([head, ...rows]) => markdownTable(head!, rows)),
  ].join("\n\n");
}

/** The columns that the page shows. A run with a lost, early or doubled task fails, and no such run is saved. */
function shortened(row: readonly string[]): string[] {
  return row.filter((_, index) => SHOWN_COLUMNS.has(HEAD[index]!));
}

/** Without padding, as the formatter of documents has it. */
function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
