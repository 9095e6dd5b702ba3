import { describe, expect, test } from "@jest/globals";
import { drawResults } from "./plot.js";
import { compare, type Result, resultOf } from "./result.js";
import { type Figures, figureNames, type Sample, type Subject } from "./sample.js";
import { median, ratio } from "../statistics.js";
import { textReport } from "./text-report.js";
import { jsonReport } from "./wheel-job.js";

describe("the median", () => {
  test.each([
    [[3, 1, 2], 2],
    [[10, 9, 100, 1], 9.5],
    [[7], 7],
    [[null, 5, null, 6, 70], 6],
    [[null], null],
    [[], null],
  ])("the median of %j is %p", (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});

describe("a ratio", () => {
  test.each([
    [30, 10, 3],
    [5, 10, 0.5],
    [null, 10, null],
    [5, null, null],
    [5, 0, null],
  ])("a ratio of %p to %p is %p", (value, base, expected) => {
    expect(ratio(value, base)).toBe(expected);
  });
});

function sampleOf(ns: number, notRun: string[] = []): Sample {
  const figures = Object.fromEntries(figureNames.map((name) => [name, ns])) as unknown as Figures;
  return { figures: { ...figures, rescheduleNs: null }, notRun };
}

function resultFor(impl: Subject["impl"], ns: number): Result {
  return resultOf({ subject: { impl, n: 1e6, load: "orders" }, reps: 1, notRun: null }, [sampleOf(ns)]);
}

const notRun = resultOf({ subject: { impl: "rounds", n: 1e6, load: "orders" }, reps: 0, notRun: "slow" }, []);

describe("a result", () => {
  test("a result of the benchmark has the medians of its samples and each reason once", () => {
    const samples = [sampleOf(30, ["reschedule: no"]), sampleOf(10, ["reschedule: no"]), sampleOf(20)];
    const result = resultOf({ subject: { impl: "wheel", n: 1e6, load: "orders" }, reps: 3, notRun: null }, samples);
    expect(result).toMatchObject({ insertNs: 20, gcMaxMs: 20, rescheduleNs: null, reps: 3, notRun: "reschedule: no" });
  });

  test("a result of the benchmark says how many runs failed, and has the medians of the others", () => {
    const subject = { impl: "wheel", n: 1e6, load: "orders" } as const;
    const result = resultOf({ subject, reps: 3, notRun: null }, [sampleOf(30), sampleOf(10)]);
    expect(result).toMatchObject({ insertNs: 20, reps: 2, notRun: "1 of 3 runs failed" });
  });

  test("a result of a combination that did not run is nulls and the reason", () => {
    expect(figureNames.map((name) => notRun[name])).toEqual(figureNames.map(() => null));
    expect(notRun).toMatchObject({ reps: 0, notRun: "slow" });
  });

  test("a result is compared only with the wheel of its size and load", () => {
    const elsewhere: Result = { ...resultFor("flatqueue", 90), n: 1e5 };
    const comparisons = compare([resultFor("wheel", 20), resultFor("heap-js", 50), elsewhere, notRun]);
    expect(comparisons.map(({ impl }) => impl)).toEqual(["heap-js"]);
    expect(comparisons[0]!.ratios).toEqual({
      insertNs: 2.5,
      cancelNs: 2.5,
      rescheduleNs: null,
      fireNs: 2.5,
      totalNs: 2.5,
    });
  });
});

describe("the reports", () => {
  const results = [resultFor("wheel", 20), resultFor("heap-js", 50), notRun];

  test("the reports as JSON carry the job, Node's version and every figure by its name", () => {
    const report = JSON.parse(JSON.stringify(jsonReport(results))) as Record<string, Record<string, unknown>[]>;
    expect(Object.keys(report)).toEqual(["job", "node", "results"]);
    expect(report).toMatchObject({ job: "wheel", node: process.version });
    const names = ["impl", "n", "load", ...figureNames, "reps", "notRun"].sort();
    for (const result of report["results"]!) expect(Object.keys(result).sort()).toEqual(names);
  });

  test("the reports as text show figures, multiples of the wheel and what did not run", () => {
    const text = textReport(results);
    expect(text).toMatch(/orders, 1,000,000 timers/);
    expect(text).toMatch(/^heap-js +50 +50 +– +50 +50 +50 +50\.00 +50\.00 +1$/m);
    expect(text).toMatch(/^heap-js +2\.50 +2\.50 +– +2\.50 +2\.50$/m);
    expect(text).toMatch(/^– slow \(rounds; orders\)$/m);
  });

  test("the reports as SVG say where they come from, and draw longer what takes longer", () => {
    const origin = { command: "npm run bench -- wheel <x>", date: new Date(0), machine: "Processor & Co, 2 cores" };
    const svg = drawResults(results, origin);
    expect(svg).toContain("Processor &amp; Co, 2 cores; 1970-01-01");
    expect(svg).toContain("npm run bench -- wheel &lt;x&gt;");
    expect(svg).not.toContain(">rounds<");
    const widths = [...svg.matchAll(/<rect x="130" y="\d+" width="([\d.]+)"/g)].map(([, width]) => Number(width));
    const bars = widths.slice(-8);
    expect(new Set(bars.slice(0, 4)).size).toBe(1);
    expect(bars[4]).toBeGreaterThan(bars[0]!);
  });
});
