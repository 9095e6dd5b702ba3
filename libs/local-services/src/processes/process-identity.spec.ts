import { describe, expect, test } from "@jest/globals";
import { commandLine, identify, isRunning, ownIdentity, parseProcStat, processesIn } from "./process-identity.js";

describe("process identity", () => {
  test("a command name with blanks and brackets does not shift the fields of a process's stat line", () => {
    const stat = `42 (a) b (c) S 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1000 10`;
    expect(parseProcStat(stat)).toEqual({ state: "S", startTicks: "98765" });
  });

  test("text that is no stat line of a process gives nothing", () => {
    expect(parseProcStat("")).toBeUndefined();
  });

  test("this process runs, and is found by its arguments and its folder", () => {
    expect(isRunning(ownIdentity())).toBe(true);
    expect(identify(process.pid)).toEqual(ownIdentity());
    expect(commandLine(process.pid).length).toBeGreaterThan(0);
    expect(processesIn(process.cwd())).toContain(process.pid);
  });

  test("a process with the same pid but another start is another process", () => {
    expect(isRunning({ ...ownIdentity(), birth: "boot:1" })).toBe(false);
  });

  test("a pid that is not in use has no identity", () => {
    expect(identify(2 ** 30)).toBeUndefined();
    expect(commandLine(2 ** 30)).toEqual([]);
  });
});
