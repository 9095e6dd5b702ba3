import { expect, test } from "@jest/globals";
import type { ApiKeyUse } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { KeyUses } from "./key-uses.js";

function scene(isAway = false) {
  const clock = new ManualClock();
  const written: (readonly ApiKeyUse[])[] = [];
  const recordUses = (uses: readonly ApiKeyUse[]): Promise<void> => {
    written.push(uses);
    return isAway ? Promise.reject(new Error("away")) : Promise.resolve();
  };
  return { clock, written, uses: new KeyUses({ apiKeys: { recordUses } } as never, clock) };
}

test("uses of keys within a minute are written at once, each key with its last use; an idle node writes nothing", async () => {
  const { clock, written, uses } = scene();
  uses.see("a", "10.0.0.1");
  await clock.advance(30_000);
  uses.see("b", null);
  uses.see("a", "10.0.0.2");
  await clock.advance(30_000);
  expect(written).toEqual([
    [
      { id: "a", agoMs: 30_000, from: "10.0.0.2" },
      { id: "b", agoMs: 30_000, from: null },
    ],
  ]);
  await clock.advance(600_000);
  expect(written).toHaveLength(1);
});

test("a stop writes the uses of keys that wait, and a failed write disturbs nobody", async () => {
  const { written, uses } = scene(true);
  uses.see("a", null);
  await uses.onModuleDestroy();
  await uses.onModuleDestroy();
  expect(written).toEqual([[{ id: "a", agoMs: 0, from: null }]]);
});
