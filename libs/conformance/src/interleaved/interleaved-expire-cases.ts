import assert from "node:assert/strict";
import type { EditRequest } from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import type { Scenario } from "../subject/scenario.js";

const START_DEADLINE_MS = 100;
/** Brings a task from its due time past its start deadline. */
const TOO_LATE_MS = START_DEADLINE_MS + 1;

function expire({ store, type }: Scenario): Promise<number> {
  return store.expire({ typeIds: [type.id], limit: 100 });
}

function editOf({ namespace }: Scenario, id: string, changes: EditRequest["changes"]): EditRequest {
  return { namespace, id, changes, actor: "editor" };
}

/** Claims that begin in time against expiries that begin later: the row's lock decides. */
const claimCases: InterleavingCase[] = [
  {
    name: "an expiry skips a row that a claim is about to write, and takes the rest; a task that was claimed in time runs",
    run: Interleaving.of(async (order, scene) => {
      const claimed = await scene.create({ startDeadlineMs: START_DEADLINE_MS });
      const late = await scene.create({ startDeadlineMs: START_DEADLINE_MS });
      const open = await order.holdWrites(claimed.id);
      const claiming = await order.waits(() => scene.reclaim(claimed.id));
      await scene.advance(TOO_LATE_MS);
      assert.equal(await order.passes(() => expire(scene)), 1);
      await open();
      await claiming.reply;
      assert.equal(await expire(scene), 0);
      assert.deepEqual([await scene.state(claimed.id), await scene.state(late.id)], ["running", "expired"]);
    }),
  },
  {
    name: "a claim in time whose snapshot is older than the expiry of its task takes nothing",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ startDeadlineMs: START_DEADLINE_MS });
      const open = await order.holdNextStatement();
      const claiming = await order.waits(() => scene.claim([id]));
      await scene.advance(TOO_LATE_MS);
      assert.equal(await order.passes(() => expire(scene)), 1);
      await open();
      assert.deepEqual(await claiming.reply, []);
      const task = await scene.get(id);
      assert.deepEqual([task.state, task.owner, task.fence], ["expired", null, 0]);
    }),
  },
];

const editCases: InterleavingCase[] = [
  {
    name: "an expiry checks each row's newest version: a task that was put off after its snapshot stays, one that was changed otherwise expires",
    run: Interleaving.of(async (order, scene) => {
      const { store } = scene;
      const moved = await scene.create({ startDeadlineMs: START_DEADLINE_MS });
      const changed = await scene.create({ startDeadlineMs: START_DEADLINE_MS });
      const cancelled = await scene.create({ startDeadlineMs: START_DEADLINE_MS });
      await scene.advance(TOO_LATE_MS);
      const open = await order.holdNextStatement();
      const expiring = await order.waits(() => expire(scene));
      await order.passes(() => store.edit(editOf(scene, moved.id, { due: { delayMs: 0 } })));
      await order.passes(() => store.edit(editOf(scene, changed.id, { priority: 1 })));
      await order.passes(() => scene.cancel(cancelled.id));
      await open();
      assert.equal(await expiring.reply, 1);
      const ids = [moved.id, changed.id, cancelled.id];
      const rows = await Promise.all(ids.map((id) => scene.get(id)));
      assert.deepEqual(
        rows.map(({ state, priority, version }) => [state, priority, version]),
        [
          ["scheduled", 5, 2],
          ["expired", 1, 3],
          ["cancelled", 5, 2],
        ],
      );
    }),
  },
  {
    name: "an edit that waits for the expiry of its task is refused",
    run: Interleaving.of(async (order, scene) => {
      const { id, dueAt } = await scene.create({ startDeadlineMs: START_DEADLINE_MS });
      await scene.advance(TOO_LATE_MS);
      const open = await order.holdWrites(id);
      const expiring = await order.waits(() => expire(scene));
      const edit = editOf(scene, id, { due: { delayMs: 60_000 } });
      const editing = await order.waitsWithin((within) => scene.store.edit(edit, within));
      await open();
      assert.equal(await expiring.reply, 1);
      const reply = await editing.reply;
      assert.ok("task" in reply);
      assert.deepEqual([reply.outcome, reply.task.state], ["state_conflict", "expired"]);
      const task = await scene.get(id);
      assert.deepEqual([task.state, task.dueAt, task.version], ["expired", dueAt, 2]);
    }),
  },
];

/** Expiries against other statements that change their tasks. */
export const interleavedExpireCases: InterleavingCase[] = [...claimCases, ...editCases];
