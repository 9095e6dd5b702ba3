import assert from "node:assert/strict";
import { BreakerScene } from "../cluster/breaker-cases.js";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";

const TEN_S = 10_000;

/** Changes of one breaker, at once. */
export const interleavedBreakerCases: InterleavingCase[] = [
  {
    name: "of two nodes that try at once one does",
    run: Interleaving.of(async (order, scene) => {
      const breakers = new BreakerScene(scene);
      const other = await scene.join();
      await breakers.openUp();
      await scene.advance(TEN_S);
      const open = await order.holdClusterWrites({ breaker: breakers.type });
      const first = await order.waits(() => breakers.tries());
      const second = await order.waits(() => breakers.tries(other));
      await open();
      assert.deepEqual([await first.reply, await second.reply], [true, false]);
    }),
  },
  {
    name: "two nodes that open a breaker at once leave one row with the later end, and tell of it once",
    run: Interleaving.of(async (order, scene) => {
      const breakers = new BreakerScene(scene);
      const open = await order.holdClusterWrites({ breaker: breakers.type });
      const first = await order.waits(() => breakers.openUp(TEN_S));
      const second = await order.waits(() => breakers.openUp(2 * TEN_S));
      await open();
      await Promise.all([first.reply, second.reply]);
      const [row, ...more] = await breakers.all();
      assert.deepEqual([row?.until, more], [scene.now() + 2 * TEN_S, []]);
      assert.deepEqual(await breakers.told(), ["BREAKER_OPENED"]);
    }),
  },
  {
    name: "a trial that fails while somebody closes the breaker does not open it again",
    run: Interleaving.of(async (order, scene) => {
      const breakers = new BreakerScene(scene);
      await breakers.openUp();
      await scene.advance(TEN_S);
      await breakers.tries();
      const open = await order.holdClusterWrites({ breaker: breakers.type });
      const closing = await order.waits(() => breakers.change({ kind: "close", actor: "key:7" }));
      const ending = await order.waits(() => breakers.change({ kind: "failed", bootId: scene.node }));
      await open();
      assert.deepEqual([(await closing.reply).changed, (await ending.reply).changed], [true, false]);
      assert.deepEqual(await breakers.all(), []);
    }),
  },
];
