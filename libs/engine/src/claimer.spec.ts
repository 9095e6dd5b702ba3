import { describe, expect, test } from "@jest/globals";
import { type ClaimedTask, DEFAULT_OPTIONS } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { Capacity } from "./capacity.js";
import { Claimer } from "./claimer.js";
import { Conditions } from "@tickwheel/coordination";
import type { Dispatcher } from "./dispatcher.js";
import type { EngineContext } from "./engine-context.js";
import { Executions } from "./executions.js";
import { ReadyQueue } from "./ready-queue.js";
import type { Settler } from "./settler.js";

/** A claimer with one ready task, whose claim is answered while `meanwhile` happens to the node; `backlog` settles wait for the store. */
async function claimOnce(meanwhile: (node: { bootId: string }) => void, backlog = 0): Promise<string[]> {
  const clock = new ManualClock();
  const node = { bootId: "1", canDispatch: () => true };
  const ready = new ReadyQueue(10);
  ready.push({ id: "task", typeId: 1, version: 1, dueAt: 0, priority: 5 }, "wheel");
  const said: string[] = [];
  const claim = async () => {
    meanwhile(node);
    return { fenced: false, tasks: [{ id: "task" } as ClaimedTask] };
  };
  const context = {
    ...{ clock, options: DEFAULT_OPTIONS, dbClock: { nowMs: () => 0, noteReading: () => undefined }, tasks: { claim } },
    conditions: new Conditions(clock, new RecordingTelemetry()),
  } as unknown as EngineContext;
  const claimer = new Claimer(context, {
    ...{ membership: node, ready, executions: new Executions(), replyLost: () => undefined, starved: () => undefined },
    passedBy: () => undefined,
    feed: { give: () => true },
    capacity: new Capacity(1, { count: () => 1, limitOf: () => undefined }, clock),
    settler: { backlog } as Settler,
    dispatcher: {
      admits: true,
      accept: () => said.push("accepted"),
      decline: () => said.push("declined"),
    } as unknown as Dispatcher,
  });
  await claimer.start();
  await clock.settle();
  await claimer.stop();
  return said;
}

test("nothing is claimed while more settles wait than settleBacklogSize", async () => {
  const { settleBacklogSize } = DEFAULT_OPTIONS;
  expect(await claimOnce(() => undefined, settleBacklogSize)).toEqual(["accepted"]);
  expect(await claimOnce(() => undefined, settleBacklogSize + 1)).toEqual([]);
});

describe("a claim's answer", () => {
  test("is taken over by the incarnation that sent it", async () => {
    expect(await claimOnce(() => undefined)).toEqual(["accepted"]);
  });

  test("that comes after the node has rejoined under another boot id is declined", async () => {
    expect(await claimOnce((node) => (node.bootId = "2"))).toEqual(["declined"]);
  });
});
