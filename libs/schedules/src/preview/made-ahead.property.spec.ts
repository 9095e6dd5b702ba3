import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { definitionOf } from "../../test-support/definitions.js";
import { Instants } from "../instants/instants.js";
import { madeAhead, type MadeAhead } from "./made-ahead.js";

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 2, 28);

const specs = fc.oneof(
  fc
    .constantFrom("*/7 * * * *", "0 */5 * * *", "30 2 * * *", "15 * * * 1-5")
    .map((cron) => ({ kind: "cron" as const, cron })),
  fc
    .record({
      everyMs: fc.integer({ min: 10 * MINUTE_MS, max: 900 * MINUTE_MS }),
      anchorAt: fc.integer({ max: START }),
    })
    .map((rate) => ({ kind: "every" as const, ...rate })),
);
const asked = fc.record({
  spec: specs,
  timeZone: fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns"),
  jitterMs: fc.constantFrom(0, 5 * MINUTE_MS),
  plannedBehindMs: fc.integer({ min: -500 * MINUTE_MS, max: 500 * MINUTE_MS }),
  bucketMs: fc.integer({ min: MINUTE_MS, max: 300 * MINUTE_MS }),
  buckets: fc.integer({ min: 1, max: 12 }),
  offsetMs: fc.integer({ min: 0, max: 3 * 1_440 * MINUTE_MS }),
});

test("the tasks that a schedule will make are its instants without a task that are due in the time, each in its bucket", () => {
  fc.assert(
    fc.property(asked, ({ spec, timeZone, jitterMs, plannedBehindMs, bucketMs, buckets, offsetMs }) => {
      const from = START + offsetMs;
      const plannedUntil = from + plannedBehindMs;
      const until = from + bucketMs * buckets;
      const definition = definitionOf({ spec, timeZone, exclude: ["2026-03-30"], policies: { jitterMs } });
      const instants = new Instants(definition);
      const expected = Array<number>(buckets).fill(0);
      for (const at of instants.forward(Math.min(from, plannedUntil) - 1_000 * MINUTE_MS)) {
        if (at > until) break;
        const dueAt = instants.dueAt(at);
        if (at <= plannedUntil || dueAt <= from || dueAt > until || instants.isExcluded(at)) continue;
        expected[Math.min(buckets - 1, Math.floor((dueAt - from) / bucketMs))]! += 1;
      }
      const planning = { plannedUntil, pause: null, isFinished: false };
      const made = lastOf(madeAhead([{ definition, planning }], { from, bucketMs, buckets }));
      expect(made).toEqual({ counts: expected, isCut: false });
    }),
  );
});

function lastOf(counting: Generator<void, MadeAhead>): MadeAhead {
  for (;;) {
    const { done, value } = counting.next();
    if (done) return value;
  }
}
