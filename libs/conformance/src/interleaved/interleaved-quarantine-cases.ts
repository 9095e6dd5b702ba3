import assert from "node:assert/strict";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { runningSuspect } from "../tasks/quarantine-cases.js";
import { refOf } from "../subject/scenario.js";

export const interleavedQuarantineCases: InterleavingCase[] = [
  {
    name: "when two suspects come at the same moment, one enters, since the other looks only after it has waited",
    run: Interleaving.of(async (order, scene) => {
      const one = await runningSuspect(scene);
      const open = await order.holdClusterWrites("quarantine");
      const first = await order.waits(() => order.store.enterQuarantine(refOf(one)));
      // It is claimed while the first suspect enters.
      const two = await runningSuspect(scene);
      const second = await order.waits(() => order.store.enterQuarantine(refOf(two)));
      await open();
      assert.deepEqual(await first.reply, { entered: true });
      assert.equal((await second.reply).entered, false);
      await scene.succeed(one);
      await scene.succeed(two);
    }),
  },
  {
    name: "a suspect enters if the one before it ended while it waited",
    run: Interleaving.of(async (order, scene) => {
      const one = await runningSuspect(scene);
      const two = await runningSuspect(scene);
      const open = await order.holdClusterWrites("quarantine");
      const first = await order.waits(() => order.store.enterQuarantine(refOf(one)));
      const second = await order.waits(() => order.store.enterQuarantine(refOf(two)));
      await scene.succeed(one);
      await open();
      assert.equal((await first.reply).entered, true);
      assert.equal((await second.reply).entered, true);
      await scene.succeed(two);
    }),
  },
];
