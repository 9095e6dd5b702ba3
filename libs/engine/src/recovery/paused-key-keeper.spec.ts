import { afterEach, expect, test } from "@jest/globals";
import type { TaskHint } from "@tickwheel/core";
import { Health } from "@tickwheel/coordination";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { PausedKeyKeeper } from "./paused-key-keeper.js";

const clock = new ManualClock();
const looks: number[] = [];
const published: string[] = [];
const inForce = { hasEndedKeys: false };
/** What the next looks find. */
let found: number[] = [];

const keeper = new PausedKeyKeeper({
  clock,
  health: new Health(clock, new RecordingTelemetry()),
  inForce,
  store: {
    resumeEndedKeys: (limit) => {
      looks.push(clock.monotonicMs());
      return Promise.resolve(
        Array.from({ length: Math.min(limit, found.shift() ?? 0) }, () => ({ id: "a" }) as TaskHint),
      );
    },
  },
  publish: (hints) => published.push(...hints.map(({ id }) => id)),
});

afterEach(() => keeper.stop());

test("PausedKeyKeeper looks each minute, each second while a known pause is over, and at once where a look left keys", async () => {
  await keeper.start();
  await clock.advance(59_999);
  expect(looks).toHaveLength(1);
  await clock.advance(1);
  expect(looks).toHaveLength(2);
  inForce.hasEndedKeys = true;
  keeper.wake();
  await clock.advance(3_500);
  expect(looks).toHaveLength(6);
  found = [500, 500, 3];
  await clock.advance(1_000);
  expect([looks.length, published.length]).toEqual([9, 1_003]);
});
