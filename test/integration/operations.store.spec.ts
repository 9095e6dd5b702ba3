import { describe, expect, test } from "@jest/globals";
import { startForSpec } from "../support/start-for-spec.js";
import { type OperationScenes, startOperations } from "./operations.scene.js";

let operations: OperationScenes;

startForSpec(startOperations, (its) => ({ operations } = its));

describe("an operation", () => {
  test("cancels what waits, asks what runs, and leaves what has ended", async () => {
    const its = await operations.another();
    const [scheduled, paused, running, dead, done] = await its.tasks(5);
    await its.pause([paused!]);
    await its.claim([running!]);
    await its.kill([dead!]);
    await its.succeed([done!]);
    const operation = await its.run({ action: "cancel" });
    expect(await its.states([scheduled!, paused!, running!, dead!, done!])).toEqual([
      ...["cancelled", "cancelled", "running", "dead", "succeeded"],
    ]);
    expect(operation).toMatchObject({ state: "done", found: 3, changed: 2, passed: { ASKED: 1 } });
    expect((await its.get(running!)).cancelRequestedAt).not.toBeNull();
    expect(await its.get(paused!)).toMatchObject({ reason: "REQUESTED", cancelledBy: `operation:${operation.id}` });
    expect(await its.remembered(operation)).toEqual([scheduled!, paused!]);
  });

  test("pauses what is scheduled, page after page", async () => {
    const its = await operations.another();
    const ids = await its.tasks(7);
    await its.pause(ids.slice(0, 1));
    const operation = await its.run({ action: "pause" }, 2);
    expect(operation).toMatchObject({ state: "done", found: 6, changed: 6, passed: {}, pages: 4, node: "node-1" });
    expect(await its.states(ids)).toEqual(ids.map(() => "paused"));
    expect(await its.lastEntry(ids[3]!)).toBe(`scheduled>paused PAUSED operation:${operation.id}`);
  });
});
