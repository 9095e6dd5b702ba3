import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BENCHMARKS_FOLDER, type SavedReport } from "./benchmark-files.js";
import { benchmarkPage, decidingTable, type SavedReports } from "./benchmark-tables.js";
import { betweenMarks } from "../marked-text.js";

/** The README's mark, and what is said of the table below it. */
const MARK = "benchmarks";
const README = join(BENCHMARKS_FOLDER, "../../README.md");
const PAGE = join(BENCHMARKS_FOLDER, "README.md");

/** The saved reports of `docs/benchmarks`. */
export function readSavedReports(): SavedReports {
  const files = readdirSync(BENCHMARKS_FOLDER).filter((file) => file.endsWith(".json"));
  return new Map(
    files.map((file) => [
      file.slice(0, -".json".length),
      JSON.parse(readFileSync(join(BENCHMARKS_FOLDER, file), "utf8")) as SavedReport,
    ]),
  );
}

/** Documents whose tables come from the saved reports, as they should be: text by path. */
export function documentsOf(reports: SavedReports): Map<string, string> {
  const summary = decidingTable(reports);
  return new Map([
    [README, betweenMarks(readFileSync(README, "utf8"), MARK, summary)],
    [PAGE, `${benchmarkPage(reports)}\n`],
  ]);
}

/** Writes them. @returns their paths */
export function writeTables(): string[] {
  const documents = documentsOf(readSavedReports());
  for (const [path, text] of documents) writeFileSync(path, text);
  return [...documents.keys()];
}
