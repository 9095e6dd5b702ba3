import { expect, test } from "@jest/globals";
import { judgedTimes } from "./measured-times.js";
import { read, typeScriptFiles } from "./project-files.js";

/** Benchmarks judge times, and the simulation's are virtual. */
const JUDGES = /^test\/(bench|simulation)\//;
/** A spec that reads a real clock can measure; other specs of libraries hold a clock in their hand. */
const READS_CLOCK = /\b(performance|Date)\.now\(|\bSystemClock\b|\bhrtime\b/;

test("tests judge no time that they have measured: they tell it, and `npm run bench -- faults` judges", () => {
  const measuring = typeScriptFiles().filter(
    (path) =>
      !JUDGES.test(path) &&
      !path.startsWith("test/architecture/") &&
      (path.startsWith("test/") || (path.endsWith(".spec.ts") && READS_CLOCK.test(read(path)))),
  );
  expect(measuring.length).toBeGreaterThan(100);
  const judging = measuring.flatMap((path) => judgedTimes(read(path)).map((call) => `${path}: ${call}`));
  expect(judging).toEqual([]);
});

test.each([
  "expect(tookMs).toBeLessThan(300)",
  "expect(Math.max(...lateness)).toBeLessThanOrEqual(3_000)",
  "expect(again.atMs - first.atMs).toBeLessThan(10_000)",
  "expect(performance.now() - startMonoMs).toBeLessThan(50)",
  "expect(await msOf(call)).toBeLessThan(LIMIT_MS)",
  "expect(summary.duration).not.toBeLessThan(3)",
  "expect(latenessOf(starts).p99 <= 250).toBe(true)",
  "expect(starts.every(({ latenessMs }) => latenessMs < 50)).toBe(true)",
])("a planted judgement of a measured time is found: %s", (call) => {
  expect(judgedTimes(`${call};`)).toEqual([call]);
});

test.each([
  "expect(ended.atMs).toBeLessThanOrEqual(closing.atMs)",
  "expect(second.atMs - first.atMs).toBeGreaterThanOrEqual(150)",
  "expect(cost.blocks).toBeLessThan(60)",
  "expect(options.leaseTtlMs).toBe(3_000)",
])("%s is no judgement of a measured time", (call) => {
  expect(judgedTimes(`${call};`)).toEqual([]);
});
