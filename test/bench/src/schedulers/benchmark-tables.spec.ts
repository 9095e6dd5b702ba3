import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import type { SavedReport } from "./benchmark-files.js";
import { benchmarkPage, databaseTable, summaryTable } from "./benchmark-tables.js";
import type { Subject } from "./contestants/contestants.js";
import { resultOf } from "./result.js";
import { sampleOf } from "./sample.js";
import { documentsOf, readSavedReports } from "./write-tables.js";
import { betweenMarks } from "../marked-text.js";

const resultFor = (subject: Subject, perSecond: number) =>
  resultOf(subject, [sampleOf({ perSecond, cpuSeconds: 1, figures: { callP50Ms: 0.25 } })]);
const create: SavedReport = {
  job: "create",
  node: "v24.0.0",
  postgres: "18.4 fsync=on",
  redis: "7.0",
  ratios: {},
  options: {},
  command: "npm run bench -- create",
  date: "2026-11-22",
  machine: "a machine, 2 cores",
  results: [
    resultFor({ peer: "tickwheel", settings: "defaults" }, 50_000),
    resultFor({ peer: "bullmq", settings: "defaults" }, 10_000),
    resultFor({ peer: "bullmq", settings: "best" }, 40_000),
    resultFor({ peer: "postgres", settings: "defaults" }, 60_000),
  ],
};

const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(2, -1)
    .map((cell) => cell.trim());

describe("the tables of saved runs", () => {
  test("the tables of saved runs sum up ours and the best of each other scheduler, and leave out what was not run", () => {
    const lines = summaryTable(new Map([["create", create]])).split("\n");
    expect(lines).toHaveLength(3);
    const cells = lines[2]!.split("|").map((cell) => cell.trim());
    expect(cells.slice(1, -1)).toEqual(["creates per second, 64 callers", "50,000", "40,000", "–", "–", "60,000"]);
  });

  test("the tables of saved runs say how many tasks of a killed worker did not run again", () => {
    const measured = { latenessMs: { p50: 7_000, p95: 7_000, p99: 7_000, max: 7_060 }, figures: { unfinished: 0 } };
    const results = [
      resultOf({ peer: "tickwheel", settings: "defaults" }, [sampleOf({ ...measured, cpuSeconds: 1 })]),
      resultOf({ peer: "graphile-worker", settings: "detection" }, [
        sampleOf({ figures: { unfinished: 1_000 }, cpuSeconds: 1 }),
      ]),
    ];
    const line = summaryTable(new Map([["crash", { ...create, results }]])).split("\n")[2]!;
    expect(cellsOf(line)).toEqual(["7.06", "–", "–", "1,000 did not", "–"]);
  });

  test("the tables of runs tell how soon others find a dead worker, tightest and by default, and who is advised against the tightest", () => {
    const after = (peer: Subject["peer"], settings: Subject["settings"], ms: number) =>
      resultOf({ peer, settings }, [sampleOf({ latenessMs: { p50: ms, p95: ms, p99: ms, max: ms }, cpuSeconds: 1 })]);
    const results = [
      after("tickwheel", "defaults", 7_000),
      after("bullmq", "detection", 5_000),
      after("bullmq", "defaults", 56_000),
      after("pg-boss", "detection", 8_000),
    ];
    const [, , tightest, defaults, , advice] = summaryTable(new Map([["crash", { ...create, results }]])).split("\n");
    expect(cellsOf(tightest!)).toEqual(["7.00", "5.00 †", "8.00", "–", "–"]);
    expect(cellsOf(defaults!)).toEqual(["7.00", "56.00", "–", "–", "–"]);
    expect(advice).toMatch(/^† .*advice/);
  });

  test("the tables of saved runs take the runs of another Postgres by the end of their names", () => {
    const reports = new Map([["create-postgres-15", create]]);
    expect(summaryTable(reports).split("\n")).toHaveLength(2);
    expect(summaryTable(reports, "-postgres-15")).toContain("50,000");
  });

  test("the page of saved runs shows each run with its command and its machine, and leads to its file", () => {
    const page = benchmarkPage(new Map([["create", create]]));
    const origin =
      "`npm run bench -- create`, 2026-11-22; a machine, 2 cores; Postgres 18.4; [all figures](create.json)";
    for (const text of ["## create\n", origin, "| bullmq (defaults)"]) expect(page).toContain(text);
  });

  test("the tables of saved runs show cells side by side, and sum up what they reach of what is allowed", () => {
    const cellsFor = (subject: Subject, figures: Record<string, number>) =>
      resultOf(subject, [
        sampleOf({ cpuSeconds: 1, cells: { "5 at once, 50 ms": figures, "100/s": { perSecond: 99 } } }),
      ]);
    const limited: SavedReport = {
      ...create,
      results: [
        cellsFor({ peer: "tickwheel", settings: "defaults" }, { perSecond: 66, reachedPercent: 66.4 }),
        cellsFor({ peer: "bullmq", settings: "best" }, { perSecond: 98 }),
      ],
    };
    const reports = new Map([["limited", limited]]);
    const rows = benchmarkPage(reports)
      .split("\n")
      .filter((line) => /^\| (5 at once|100\/s)/.test(line))
      .map((line) => line.split("|").map((cell) => cell.trim()));
    expect(rows.map((cells) => cells.slice(1, -1))).toEqual([
      ["5 at once, 50 ms: tickwheel (defaults)", "66.00", "66.40"],
      ["5 at once, 50 ms: bullmq (best)", "98.00", "–"],
      ["100/s: tickwheel (defaults)", "99.00", "–"],
      ["100/s: bullmq (best)", "99.00", "–"],
    ]);
    const [, , fiveAtOnce] = summaryTable(reports).split("\n");
    expect(cellsOf(fiveAtOnce!)).toEqual(["66 %", "–", "–", "–", "–"]);
  });

  test("the tables of saved runs tell what a task costs the database, of those that have such figures", () => {
    const withFigures = (subject: Subject, figures: Record<string, number>) =>
      resultOf(subject, [sampleOf({ cpuSeconds: 1, figures })]);
    const costs = { walBytesPerTask: 1_234.5, commitsPerTask: 0.0083, deadVersionsPerTask: 2 };
    const results = [
      withFigures({ peer: "tickwheel", settings: "defaults" }, { tasks: 500, ...costs }),
      withFigures({ peer: "bullmq", settings: "best" }, { tasks: 500 }),
      withFigures({ peer: "pg-boss", settings: "best" }, { tasks: 500, walBytesPerTask: 99.5 }),
    ];
    const reports = new Map([
      ["create", create],
      ["burst", { ...create, job: "burst", results }],
    ]);
    const rows = databaseTable(reports)!
      .split("\n")
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map((cells) => cells.slice(1, -1));
    expect(rows[0]).toEqual(["job", "contestant", "WAL bytes", "commits", "dead versions"]);
    expect(rows.slice(2)).toEqual([
      ["burst", "tickwheel (defaults)", "1,235", "0.0083", "2.00"],
      ["burst", "pg-boss (best)", "99.50", "–", "–"],
    ]);
    expect(benchmarkPage(reports)).toContain(`## What a task costs the database\n\n${databaseTable(reports)}`);
  });

  test("the tables of saved runs leave out what a task costs the database where no run has measured it", () => {
    const reports = new Map([["create", create]]);
    expect(databaseTable(reports)).toBeNull();
    expect(benchmarkPage(reports)).not.toContain("costs the database");
  });

  test("the tables of saved runs go between two marks of a document", () => {
    expect(betweenMarks("a <!-- t:begin --> old <!-- t:end --> b", "t", "new")).toBe(
      "a <!-- t:begin -->\n\nnew\n\n<!-- t:end --> b",
    );
    expect(() => betweenMarks("a", "t", "new")).toThrow("no place for t");
  });
});

test("the documents show what the files in docs/benchmarks say (else: npm run bench -- tables)", () => {
  // The formatter breaks lines of prose; words and tables are as they were written.
  const words = (text: string): string => text.replaceAll(/\s+/g, " ");
  for (const [path, text] of documentsOf(readSavedReports()))
    expect(words(readFileSync(path, "utf8"))).toBe(words(text));
});
