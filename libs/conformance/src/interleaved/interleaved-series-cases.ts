import assert from "node:assert/strict";
import { newTaskId, slotOfId } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { refOf } from "../subject/scenario.js";

const DAY_MS = 86_400_000;
const random = new SeededRandom(61);

/** A task of a series starts beside a cancel of its key. */
export const interleavedSeriesCases: InterleavingCase[] = (["rollBack", "commit"] as const).map((ending) => ({
  name: `a task of a series that starts while its key is cancelled makes ${ending === "commit" ? "no further one" : "the next one if that is rolled back"}`,
  run: Interleaving.of(async (order, scene) => {
    const { namespace, store, type } = scene;
    const started = await scene.running({ key: "k", laterMs: [DAY_MS] });
    const id = newTaskId(scene.now(), slotOfId(started.id), random);
    const target = { namespace, type: type.type, key: "k" };
    const cancelling = await order.begin((within) => store.cancel({ target, actor: "a" }, within));
    const going = await order.waits(() => store.continueSeries(refOf(started), id));
    await cancelling[ending]();
    const next = await going.reply;
    assert.equal(next?.id, ending === "commit" ? undefined : id);
    assert.equal((await scene.holder("k"))?.id, ending === "commit" ? started.id : id);
  }),
}));
