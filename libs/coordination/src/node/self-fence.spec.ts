import { expect, test } from "@jest/globals";
import { isFresh, mustFence } from "./self-fence.js";

test("a beat is fresh for five intervals after its sending", () => {
  const options = { heartbeatIntervalMs: 1_000, selfFenceAfterBeats: 5 };
  expect([0, 4_999, 5_000].map((ageMs) => isFresh(ageMs, options))).toEqual([true, true, false]);
});

test("a node fences itself when its beats are late twice in a row", () => {
  const looks = [false, true, false, true, true, true, false];
  const fences = looks.map((isLate, index) => mustFence({ wasLate: looks[index - 1] ?? false, isLate }));
  expect(fences).toEqual([false, false, false, false, true, true, false]);
});
