import assert from "node:assert/strict";
import type { ConformanceCase, TaskStoreSubject } from "../subject/subject.js";
import { LimitScene } from "./limit-scene.js";
import { changed } from "./setting-scene.js";

const HOUR = 3_600_000;
/** A token each 10 ms. */
const RATE = { count: 100, perMs: 1_000, burst: 10 };

async function bucket(subject: TaskStoreSubject, rate = RATE) {
  const limits = await LimitScene.open(subject);
  const limitId = await limits.limit({ rate });
  const take = (most: number) => limits.store.takeTokens({ limitId, most });
  return { limits, setting: limits.setting, limitId, take };
}

/** The tokens of rates, by the store's clock. */
export const rateCases: ConformanceCase[] = [
  {
    name: "tokens: the burst at once, then one after the other by the clock, and it is told when there is the next",
    async run(subject) {
      const { limits, limitId, take } = await bucket(subject);
      assert.deepEqual(await take(4), { granted: 4, nextMs: 0 });
      assert.deepEqual(await limits.state(limitId), { running: null, tokens: 6 });
      assert.deepEqual(await take(10), { granted: 6, nextMs: 10 });
      assert.deepEqual(await take(5), { granted: 0, nextMs: 10 });
      await subject.advance(25);
      assert.deepEqual(await limits.state(limitId), { running: null, tokens: 2 });
      assert.deepEqual(await take(5), { granted: 2, nextMs: 5 });
      await subject.advance(4);
      assert.deepEqual(await take(1), { granted: 0, nextMs: 1 });
      await subject.advance(1);
      assert.deepEqual(await take(1), { granted: 1, nextMs: 0 });
      await subject.advance(HOUR);
      assert.deepEqual(await limits.state(limitId), { running: null, tokens: 10 });
      assert.deepEqual(await take(99), { granted: 10, nextMs: 10 });
    },
  },
  {
    name: "a rate whose tokens are no whole milliseconds apart loses none over many",
    async run(subject) {
      const { take } = await bucket(subject, { count: 7, perMs: 1_000, burst: 1 });
      let granted = 0;
      for (let count = 0; count < 70; count++) {
        const grant = await take(1);
        granted += grant!.granted;
        const { nextMs } = (await take(1))!;
        assert.ok(nextMs >= 142 && nextMs <= 143, `the next token is ${nextMs} ms away`);
        await subject.advance(nextMs);
      }
      assert.equal(granted, 70);
    },
  },
  {
    name: "a clock that is set back refills nothing and stops nothing; one that is set forth gives one burst at most",
    async run(subject) {
      const { take } = await bucket(subject);
      await take(10);
      await subject.stepClock(-HOUR);
      assert.deepEqual(await take(5), { granted: 0, nextMs: 10 });
      await subject.advance(30);
      assert.deepEqual(await take(5), { granted: 3, nextMs: 10 });
      await subject.stepClock(HOUR);
      assert.deepEqual(await take(99), { granted: 10, nextMs: 10 });
    },
  },
  {
    name: "another rate leaves a bucket its tokens as far as they fit; another number of places leaves it alone",
    async run(subject) {
      const { limits, setting, limitId, take } = await bucket(subject);
      await take(3);
      changed(await setting.set({ rate: { count: 1, perMs: HOUR, burst: 100 }, maxRunning: 3 }));
      assert.deepEqual(await limits.state(limitId), { running: 0, tokens: 7 });
      changed(await setting.set({ rate: { count: 1, perMs: HOUR, burst: 2 } }));
      assert.deepEqual(await take(5), { granted: 2, nextMs: HOUR });
      changed(await setting.set({ maxRunning: null }));
      assert.deepEqual(await take(5), { granted: 0, nextMs: HOUR });
    },
  },
  {
    name: "a limit without a rate, and one that is gone, have no tokens",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const limitId = await limits.limit({ maxRunning: 5 });
      assert.equal(await limits.store.takeTokens({ limitId, most: 1 }), null);
      changed(await limits.setting.set({ maxRunning: null }));
      assert.equal(await limits.store.takeTokens({ limitId, most: 1 }), null);
    },
  },
  {
    name: "six who take tokens at once get each token once, and together all",
    async run(subject) {
      const { take } = await bucket(subject);
      for (let round = 0; round < 20; round++) {
        const grants = await Promise.all(Array.from({ length: 6 }, () => take(3)));
        const granted = grants.map((grant) => grant!.granted);
        assert.equal(
          granted.reduce((sum, count) => sum + count),
          10,
          granted.join("+"),
        );
        await subject.advance(100);
      }
    },
  },
];
