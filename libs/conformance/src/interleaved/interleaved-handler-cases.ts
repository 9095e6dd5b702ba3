import assert from "node:assert/strict";
import type { CallerTransaction, ClaimedTask } from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { refOf } from "../subject/scenario.js";

const TIMEOUT_MS = 60_000;

/** Transactions that handlers have left open, and the statements that wait for their locks. */
export const interleavedHandlerCases: InterleavingCase[] = [
  {
    name: "a reap of a node's tasks ends its handler's open transaction and frees the locks",
    run: Interleaving.of(async (order, scene) => {
      const owner = await scene.join();
      const gone = await scene.running({}, owner);
      const alive = await scene.running();
      const first = await scene.create();
      const second = await scene.create();
      await order.begin((within) => beginAndCancel(order, { execution: gone, id: first.id }, within));
      const kept = await order.begin((within) => beginAndCancel(order, { execution: alive, id: second.id }, within));
      await scene.reap(owner);
      const reply = await scene.cancel(first.id, "somebody else");
      assert.deepEqual(
        [reply.outcome, "task" in reply && reply.task.cancelledBy, await scene.state(gone.id)],
        ["cancelled", "somebody else", "scheduled"],
      );
      await kept.commit();
      assert.equal((await scene.get(second.id)).cancelledBy, "handler");
    }),
  },
  {
    name: "the open transactions of an earlier execution and of the later one are ended if somebody waits for the earlier one",
    run: Interleaving.of(async (order, scene) => {
      const { store } = order;
      const task = await scene.create();
      const bystander = await scene.create();
      const first = await scene.running();
      await order.begin((within) => beginAndCancel(order, { execution: first, id: task.id }, within));
      await scene.fail(first);
      const later = await scene.reclaim(first.id);
      const other = await scene.running();
      const kept = await order.begin((within) => beginAndCancel(order, { execution: other, id: bystander.id }, within));
      assert.equal(await store.endBlockers(refOf(later)), false);
      const waiting = await order.waitsWithin(async (within) => {
        await beginAndCancel(order, { execution: later, id: task.id }, within);
        assert.fail("it came to its turn before its own session ended");
      });
      for (const execution of [first, other]) assert.equal(await store.endBlockers(refOf(execution)), false);
      assert.equal(await store.endBlockers(refOf(later)), true);
      // Once the first transaction is gone, the second may get its turn before its own session ends. Its write must not
      // stay in that case, either.
      await assert.rejects(waiting.reply);
      const reply = await scene.cancel(task.id, "somebody else");
      assert.deepEqual([reply.outcome, "task" in reply && reply.task.cancelledBy], ["cancelled", "somebody else"]);
      await kept.commit();
      assert.equal((await scene.get(bystander.id)).cancelledBy, "handler");
      assert.equal(await scene.state(later.id), "running");
    }),
  },
];

/** Acts as a handler in its own transaction: marks it, and locks a row that others want. */
async function beginAndCancel(
  { store, scene: { namespace } }: Interleaving,
  { execution, id }: { execution: ClaimedTask; id: string },
  within: CallerTransaction,
): Promise<void> {
  await store.beginWithin({ ...refOf(execution), timeoutMs: TIMEOUT_MS }, within);
  await store.cancel({ target: { namespace, id }, actor: "handler" }, within);
}
