import { expect, test } from "@jest/globals";
import { busyReason } from "./machine.js";
import { judgeTimes, readTimes, timesTable } from "./times.js";

const killed = { scenario: "a node killed", what: "pending tasks, lateness, worst", boundMs: 3_000 };
const keys = { scenario: "a node killed", what: "its keys are gone", boundMs: 5_000 };

test("the worst run decides whether a bound holds, and the median stands beside it", () => {
  const runs = [2_000, 3_001, 1_000].map((ms) => [
    { ...killed, ms },
    { ...keys, ms: 4_000 },
  ]);
  expect(judgeTimes(runs)).toEqual([
    { ...killed, medianMs: 2_000, worstMs: 3_001, runs: 3, holds: false },
    { ...keys, medianMs: 4_000, worstMs: 4_000, runs: 3, holds: true },
  ]);
});

test("a time that not every run has reported is judged by the runs that have", () => {
  expect(judgeTimes([[{ ...keys, ms: 5_000 }], []])).toEqual([
    { ...keys, medianMs: 5_000, worstMs: 5_000, runs: 1, holds: true },
  ]);
});

test("times are read a line each, and a scenario is named once in the table", () => {
  const text = [killed, keys].map((time) => `${JSON.stringify({ ...time, ms: 3_500 })}\n`).join("");
  expect(
    timesTable(judgeTimes([readTimes(text)]))
      .split("\n")
      .slice(2),
  ).toEqual([
    "| a node killed | pending tasks, lateness, worst | 3,500 | 3,500 | 3,000 | **no** |",
    "|  | its keys are gone | 3,500 | 3,500 | 5,000 | yes |",
  ]);
});

test("a machine is busy if work waits for a processor, however slow its processors are", () => {
  expect(busyReason({ slowness: 3, waiting: 1.1, load: 0.4, cores: 2 })).toBeNull();
  expect(busyReason({ slowness: 1.8, waiting: 1.8, load: 4.1, cores: 2 })).toMatch(
    /^other programs use .*1\.8 times.*load 4\.1 on 2 cores/,
  );
});
