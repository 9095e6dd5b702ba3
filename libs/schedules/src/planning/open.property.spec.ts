import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { definitionOf } from "../../test-support/definitions.js";
import { Instants } from "../instants/instants.js";
import { decide, decideResume } from "./decide.js";
import { decidePause } from "./interventions.js";
import { newPlanningState, type PlanningOutput, type PlanningState } from "./planning.js";

const MINUTE = 60_000;
/** Whether proofs run in full, as before a release: `run-tests.mjs --whole`. */
const IS_WHOLE = process.env["TICKWHEEL_TEST_DEPTH"] === "whole";

const definitions = fc
  .record({
    spec: fc
      .constantFrom(7_000, MINUTE, 10 * MINUTE)
      .map((everyMs) => ({ kind: "every" as const, everyMs, anchorAt: 3 })),
    misfire: fc.oneof(
      fc.constantFrom({ kind: "last" as const }, { kind: "skip" as const }),
      fc.integer({ min: 1, max: 4 }).map((limit) => ({ kind: "all" as const, limit })),
    ),
    jitterMs: fc.constantFrom(0, 5_000),
    onResume: fc.constantFrom("skip" as const, "last" as const),
  })
  .map(({ spec, ...policies }) => definitionOf({ spec, policies: { ...policies, overlap: "allow" } }));

const steps = fc.array(
  fc.record({
    does: fc.constantFrom("decide", "decide", "decide", "pause", "resume"),
    ends: fc.integer({ min: 0, max: 4 }),
    afterMs: fc.integer({ min: 0, max: 30 * MINUTE }),
  }),
  { maxLength: 40 },
);

const limits = fc.constantFrom(1, 3, 10, Infinity);

describe("the decisions about overlap allow", () => {
  test("overlap allow inserts or skips each instant exactly once, over pauses and outages, with never more rows than may live", () => {
    fc.assert(
      fc.property(definitions, steps, limits, (definition, history, limit) => {
        const fates = new Map<number, string>();
        let state: PlanningState = newPlanningState(0);
        let now = 0;
        let live: number[] = [];
        const instants = new Instants(definition);
        const note = (at: number, fate: string): void => {
          expect(`${at} ${fates.get(at)}`).toBe(`${at} undefined`);
          fates.set(at, fate);
        };
        const apply = (output: PlanningOutput): void => {
          // A pause takes back what is ahead; all else stays as it is.
          if (output.live === "withdraw")
            for (const at of fates.keys()) if (at > output.state.plannedUntil) fates.delete(at);
          if (output.live === "withdraw") live = live.filter((at) => at <= output.state.plannedUntil);
          for (const { at } of output.insert) note(at, "inserted");
          live.push(...output.insert.map(({ at }) => at));
          expect(live.length).toBeLessThanOrEqual(limit);
          for (const { from, to } of output.skips)
            for (let at = instants.next(from - 1)!; at <= to; at = instants.next(at)!) note(at, "skipped");
          state = output.state;
        };
        for (const { does, afterMs, ends } of [...history, { does: "resume", afterMs: 0, ends: 0 }]) {
          now += afterMs;
          live.splice(0, ends);
          const input = { definition, state, now, live: null, last: null, places: limit - live.length };
          if (does === "pause") apply(decidePause(input, { until: null }));
          else apply(does === "resume" ? decideResume(input) : decide(input));
        }
        for (let at = instants.next(0)!; at <= state.plannedUntil; at = instants.next(at)!)
          expect(fates.has(at)).toBe(true);
      }),
      { numRuns: IS_WHOLE ? 1_000 : 80 },
    );
  });
});
