import { describe, expect, test } from "@jest/globals";
import type { ImplementationName } from "./queues/implementations.js";
import { FEWEST_FOR_BYTES, measure } from "./measure.js";
import { figureNames } from "./sample.js";

/** Enough timers for every phase, too few for meaningful figures. */
const N = 1_000;
const noCollection = (): void => {};

describe("a measurement", () => {
  test.each(["wheel", "indexed-heap", "heap-js"] satisfies ImplementationName[])(
    "a measurement of %s has all figures",
    async (impl) => {
      const { figures, notRun } = await measure({ impl, n: N, load: "uniform-1h" }, noCollection);
      expect(Object.keys(figures).sort()).toEqual([...figureNames].sort());
      const missing = figureNames.filter((name) => figures[name] === null);
      expect(missing).toEqual(["bytesPerTimer"]);
      expect(notRun).toEqual([expect.stringContaining(`under ${FEWEST_FOR_BYTES}`)]);
      const { insertNs, cancelNs, rescheduleNs, fireNs, totalNs } = figures;
      // A quarter of the timers is moved, another one cancelled, the rest and the moved ones fire.
      expect(totalNs! / (insertNs! + (cancelNs! + rescheduleNs!) / 4 + (fireNs! * 3) / 4)).toBeCloseTo(1, 1);
    },
  );

  test("a measurement of setTimeout has what it can do, and the reason for the rest", async () => {
    const { figures, notRun } = await measure({ impl: "setTimeout", n: N, load: "uniform-1h" }, noCollection);
    const missing = figureNames.filter((name) => figures[name] === null);
    expect(missing).toEqual(["rescheduleNs", "fireNs", "totalNs", "bytesPerTimer", "worstPollMs"]);
    expect(notRun).toContain("reschedule, fire, total, poll: it goes by the real clock");
  });

  test("a measurement of churn counts the swaps as inserts and cancels", async () => {
    const { figures } = await measure({ impl: "flatqueue", n: N, load: "churn" }, noCollection);
    const { insertNs, cancelNs, rescheduleNs, fireNs, totalNs } = figures;
    expect(rescheduleNs).toBeNull();
    expect(totalNs! / (insertNs! + (cancelNs! * 2) / 3 + fireNs! / 3)).toBeCloseTo(1, 1);
  });
});
