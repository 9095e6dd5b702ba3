import { describe, expect, test } from "@jest/globals";
import { cpuSecondsOf, parseTimes } from "./process-cpu.js";

const stat = (pid: number, name: string, { parent, times }: { parent: number; times: number[] }): string =>
  `${pid} (${name}) S ${parent} 1 1 0 -1 4194560 10 20 30 40 ${times.join(" ")} 20 0 1 0 100 0 0`;

describe("the CPU time of processes", () => {
  test("the CPU time of processes is read from a line in which the command's name holds blanks and brackets", () => {
    const line = stat(42, "postgres: a) (b", { parent: 7, times: [150, 50, 30, 20] });
    expect(parseTimes(line)).toEqual({ pid: 42, parent: 7, ownTicks: 200, endedTicks: 50 });
  });

  test("the CPU time of processes adds up a whole family, with what its members' children took before they ended", () => {
    const processes = [
      stat(1, "init", { parent: 0, times: [900, 0, 900, 0] }),
      stat(10, "postgres", { parent: 1, times: [100, 0, 50, 50] }),
      stat(11, "backend", { parent: 10, times: [25, 25, 0, 0] }),
      stat(12, "of the backend", { parent: 11, times: [10, 0, 0, 0] }),
      stat(20, "another", { parent: 1, times: [700, 0, 0, 0] }),
    ].map(parseTimes);
    expect(cpuSecondsOf([10], processes)).toBeCloseTo(2.6);
    expect(cpuSecondsOf([10, 20, 11], processes)).toBeCloseTo(9.6);
    expect(cpuSecondsOf([99], processes)).toBe(0);
  });

  test("the CPU time of this process grows", () => {
    const before = cpuSecondsOf([process.pid]);
    for (const endMs = Date.now() + 100; Date.now() < endMs;);
    expect(cpuSecondsOf([process.pid])).toBeGreaterThan(before);
  });
});
