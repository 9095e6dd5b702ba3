import { describe, expect, test } from "@jest/globals";
import type { HandlerRuns } from "./contestants/handler-work.js";
import type { Runs } from "./contestants/run-log.js";
import { allowedPerSecond, cellName, judgeLimit } from "./limit-verdict.js";

const runsAt = (atMonoMs: readonly number[]): Runs => ({
  numbers: Int32Array.from(atMonoMs, (_, n) => n),
  atMonoMs: Float64Array.from(atMonoMs),
});
/** Each as start and end; one without an end still runs. */
const workerOf = (...spans: [number, number?][]): HandlerRuns => ({
  starts: runsAt(spans.map(([start]) => start)),
  ends: runsAt(spans.flatMap(([, end]) => (end === undefined ? [] : [end]))),
});
const two = { limit: { maxRunning: 2 }, handlerMs: 100 };
const ten = { limit: { perSecond: 10 }, handlerMs: 0 };
const measured = { fromMonoMs: 1_000, toMonoMs: 2_000 };

describe("a cell", () => {
  test("a cell of the limit benchmark is called after its limit and its handler", () => {
    expect([two, ten].map(cellName)).toEqual(["2 at once, 100 ms", "10/s"]);
  });

  test("a cell of the limit benchmark allows each place one handler after the other, or its rate", () => {
    expect([two, ten].map(allowedPerSecond)).toEqual([20, 10]);
  });
});

describe("the verdict over a limit", () => {
  test("the verdict over a limit counts starts in the measured time, as a part of what is allowed, and the workers' shares", () => {
    const workers = [workerOf([900, 1_000], [1_000, 1_100], [1_200, 1_300], [1_400, 1_500]), workerOf([1_600, 1_700])];
    expect(judgeLimit(workers, two, measured)).toEqual({
      perSecond: 4,
      reachedPercent: 20,
      mostAtOnce: 1,
      mostInASecond: 5,
      largestShare: 0.75,
      smallestShare: 0.25,
    });
  });

  test("the verdict over a limit tells the most that ran at once over all workers, from before the measured time on", () => {
    const workers = [workerOf([100, 300], [300, 400]), workerOf([150, 250])];
    expect(judgeLimit(workers, two, measured)).toMatchObject({ mostAtOnce: 2, perSecond: 0, largestShare: 0 });
  });

  test("the verdict over a limit takes for running what has not ended", () => {
    const workers = [workerOf([100], [1_500])];
    expect(judgeLimit(workers, two, measured).mostAtOnce).toBe(2);
  });

  test("the verdict over a limit fails where more ran at once than the limit allows, on whichever workers", () => {
    const workers = [workerOf([100, 300], [200, 400]), workerOf([299, 350])];
    expect(() => judgeLimit(workers, two, measured)).toThrow("2 at once, 100 ms: 3 ran at once");
  });

  test("the verdict over a limit leaves out what started once the limit was lifted", () => {
    const workers = [workerOf([1_900, 2_100], [2_000, 2_001], [2_000, 2_001], [2_000, 2_001])];
    expect(judgeLimit(workers, two, measured)).toMatchObject({ mostAtOnce: 1, perSecond: 1 });
  });

  test("the verdict over a limit allows a rate its burst and half a second's starts more within a second, and no more", () => {
    const startsOf = (count: number): HandlerRuns =>
      workerOf(...Array.from({ length: count }, (_, n): [number, number] => [1_000 + n, 1_000 + n]));
    expect(judgeLimit([startsOf(25)], ten, measured)).toMatchObject({ mostInASecond: 25, reachedPercent: 250 });
    expect(() => judgeLimit([startsOf(26)], ten, measured)).toThrow("10/s: 26 started within a second");
  });
});
