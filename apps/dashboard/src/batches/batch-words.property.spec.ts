import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { batch, counts } from "../../test-support/batch-example.js";
import { batchStates } from "../api/wire.js";
import { percentText, progressParts, standingSentence } from "./batch-words.js";

const ended = fc.record({
  succeeded: fc.nat(1_000_000),
  dead: fc.nat(1_000),
  cancelled: fc.nat(1_000),
  expired: fc.nat(1_000),
});
const anyCounts = fc.tuple(ended, fc.nat(1_000_000)).map(([some, live]) => {
  return counts(some.succeeded + some.dead + some.cancelled + some.expired + live, some);
});

test("the parts of a batch's bar and its live members make up the whole", () => {
  fc.assert(
    fc.property(anyCounts, (all) => {
      const shares = progressParts(all).reduce((sum, { share }) => sum + share, 0);
      expect(shares).toBeCloseTo(all.total === 0 ? 0 : (all.total - all.live) / all.total, 9);
    }),
  );
});

test("a batch's progress reads 0 or 100 only where it is exactly that", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (progress) => {
      const percent = Number(percentText({ progress }));
      expect(percent === 0).toBe(progress === 0);
      expect(percent === 100).toBe(progress === 1);
      expect(Math.abs(percent - progress * 100)).toBeLessThan(0.11);
    }),
  );
});

test("a batch says in full sentences in each state how many members live, and one member is never plural", () => {
  const flags = fc.record({ isStopping: fc.boolean(), retryDead: fc.boolean() });
  fc.assert(
    fc.property(anyCounts, fc.constantFrom(...batchStates), flags, (all, state, some) => {
      const sentence = standingSentence(batch({ ...some, state, counts: all }));
      expect(sentence).toMatch(/^[A-Z0-9].*\.$/);
      expect(sentence).not.toMatch(/undefined|NaN|\b1 members live\b|null/);
      if (all.live > 0) expect(sentence).toContain(new Intl.NumberFormat("en").format(all.live));
    }),
  );
});
