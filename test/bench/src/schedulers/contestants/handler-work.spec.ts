import { describe, expect, test } from "@jest/globals";
import { HandlerWork } from "./handler-work.js";

describe("the work of a handler", () => {
  test("the work of a benchmark's handler has a start, and its end once it has waited", async () => {
    const work = new HandlerWork("waits");
    work.take(5);
    const run = work.run(7);
    const running = work.takeRuns();
    expect([...running.starts.numbers, ...running.ends.numbers]).toEqual([7]);
    await run;
    const ended = work.takeRuns();
    expect([...ended.starts.numbers]).toEqual([]);
    expect([...ended.ends.numbers]).toEqual([7]);
    expect(ended.ends.atMonoMs[0]).toBeGreaterThan(running.starts.atMonoMs[0]!);
  });

  test("the work of a benchmark's handler fails at the first attempt of some tasks only, and takes down each start", () => {
    const work = new HandlerWork("fails");
    void work.run(4);
    expect(() => work.run(5)).toThrow("meant to fail");
    void work.run(5);
    expect([...work.starts.runs().numbers]).toEqual([4, 5, 5]);
  });
});
