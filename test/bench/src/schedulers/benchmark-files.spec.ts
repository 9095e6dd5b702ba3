import { describe, expect, test } from "@jest/globals";
import { fileNameOf, savedReport } from "./benchmark-files.js";
import { type SchedulerOptions, readSchedulerOptions } from "./options.js";
import { drawLateness, drawThroughput } from "./plot.js";
import { type JsonReport, resultOf } from "./result.js";
import { sampleOf } from "./sample.js";

const job = { name: "steady", defaults: { rate: 1_000, pending: 200_000 } };
const origin = {
  command: "npm run bench -- steady",
  date: new Date("2026-11-22T10:00:00Z"),
  machine: "a machine, 2 cores",
};
const latenessMs = { p50: 1, p95: 2, p99: 3, max: 4 };
const report: JsonReport = {
  job: "steady",
  node: "v24.0.0",
  postgres: "18.4 fsync=on",
  redis: "7.0",
  ratios: {},
  results: [resultOf({ peer: "tickwheel", settings: "defaults" }, [sampleOf({ cpuSeconds: 1, latenessMs })])],
};

function options(flags: Parameters<typeof readSchedulerOptions>[0]["flags"]): SchedulerOptions {
  return readSchedulerOptions({ flags, rest: [] }, { ...job, peers: ["tickwheel"], quick: {} }, []);
}

describe("the files of a run", () => {
  test("the files of a benchmark are named after the job and what is not its default", () => {
    expect(fileNameOf(job, options({}))).toBe("steady");
    expect(fileNameOf(job, options({ rate: "5000", pending: "200000" }))).toBe("steady-rate-5000");
    expect(fileNameOf(job, options({ pending: "1000000", postgres: "15" }))).toBe("steady-pending-1000000-postgres-15");
    expect(fileNameOf(job, { ...options({ rate: "5000" }), holder: "slot" })).toBe("steady-slot-rate-5000");
  });

  test("the files of a benchmark tell the command, the date, the machine and the options beside the report", () => {
    expect(savedReport(report, job, { options: options({ rate: "5" }), origin })).toEqual({
      command: "npm run bench -- steady",
      date: "2026-11-22",
      machine: "a machine, 2 cores",
      options: { rate: 5, pending: 200_000 },
      ...report,
    });
  });

  test("the files of a benchmark are drawn where there is something to draw, with machine and date", () => {
    expect(drawThroughput(report, origin)).toBeNull();
    const svg = drawLateness(report, origin)!;
    for (const text of ["tickwheel", "p99", "a machine, 2 cores; 2026-11-22", "Postgres 18.4 fsync=on"])
      expect(svg).toContain(text);
  });
});
