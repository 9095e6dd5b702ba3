import { beforeEach, describe, expect, test } from "@jest/globals";
import { defineTask } from "@tickwheel/calls";
import type { DelayTask } from "../handlers/delay-task.js";
import type { NodeHandler, NodeListener } from "../handlers/node-handler.js";
import type { NodeSchedule } from "../handlers/code-schedule.js";
import type { DelayTaskNode } from "../node/delay-task.node.js";
import { TickwheelNode } from "./tickwheel-node.js";

/** Notes what is asked of a node, and has no connection. */
class NodeDouble {
  readonly options = { namespace: "default" };
  readonly asked: string[] = [];
  given: [readonly NodeHandler[], readonly NodeListener[], readonly NodeSchedule[]] = [[], [], []];
  startFails = false;

  use(...given: NodeDouble["given"]): void {
    this.given = given;
  }

  async start(): Promise<void> {
    this.asked.push("start");
    if (this.startFails) throw new Error("no right to do so");
  }

  async stop(): Promise<void> {
    this.asked.push("stop");
  }

  async close(): Promise<void> {
    this.asked.push("close");
  }
}

let double: NodeDouble;
let node: TickwheelNode;

beforeEach(() => {
  double = new NodeDouble();
  node = new TickwheelNode(double as unknown as DelayTaskNode);
});

const handle = (): string => "done";
const refused = (message: RegExp | string): object =>
  expect.objectContaining({ code: "CONFIGURATION_INVALID", message: expect.stringMatching(message) });

describe("what is given before the start", () => {
  test("handlers, listeners and schedules given before the start are handed to the node at the start", async () => {
    const Pay = defineTask<{ orderId: string }>("order.pay", { maxAttempts: 7, priority: 2 });
    const heard: unknown[] = [];
    node
      .handle(Pay, ({ payload }) => payload.orderId, { priority: 3 })
      .handle<{ by: string }>("order.cancel", ({ payload }) => payload.by, { condition: () => true })
      .on("task.dead", (event) => heard.push(event))
      .cron("5 0 * * *", { name: "settle", timeZone: "Europe/Berlin", maxAttempts: 4 }, handle)
      .interval("30s", { name: "poll", kind: "delay" }, handle);
    expect(double.asked).toEqual([]);
    await node.start();
    const [handlers, listeners, schedules] = double.given;
    expect(handlers.map(({ type, options }) => [type, options])).toMatchObject([
      ["order.pay", { maxAttempts: 7, priority: 3 }],
      ["order.cancel", {}],
      ["schedule.settle", { maxAttempts: 4 }],
      ["schedule.poll", {}],
    ]);
    expect(handlers[0]!.handle({ payload: { orderId: "42" } } as unknown as DelayTask, {} as never)).toBe("42");
    expect(handlers[1]!.condition!({} as never, {} as never)).toBe(true);
    listeners[0]!.listen("gone");
    expect([listeners[0]!.event, heard]).toEqual(["task.dead", ["gone"]]);
    expect(schedules).toMatchObject([
      { name: "settle", type: "schedule.settle", rules: { cron: "5 0 * * *", timeZone: "Europe/Berlin" } },
      { name: "poll", type: "schedule.poll", rules: { after: "30s" } },
    ]);
  });

  test("a second handler of one type before the start is refused, whichever way the handlers are given", () => {
    node.handle("order.cancel", handle).cron("5 0 * * *", { name: "settle" }, handle);
    const twice = /the type "order\.cancel" has a handler, and one is allowed/;
    expect(() => node.handle("order.cancel", handle)).toThrow(refused(twice));
    expect(() => node.handle(defineTask("order.cancel"), handle)).toThrow(refused(twice));
    expect(() => node.interval("1m", { name: "settle" }, handle)).toThrow(
      refused(/^interval\("1m"\): the type "schedule\.settle" has a handler/),
    );
  });

  test.each<[string, () => unknown, RegExp]>([
    ["an option's value", () => node.handle("a", handle, { priority: 11 }), /^The handler handle\("a"\): .*priority/],
    ["an option that there is not", () => node.handle("a", handle, { retries: 3 } as object), /retries/],
    ["a type's name", () => node.handle("a b", handle), /^The handler handle\("a b"\): type must be/],
  ])("a handler or schedule is refused at the call by the rules of a task: %s", (_what, call, message) => {
    expect(call).toThrow(
      expect.objectContaining({ code: "VALIDATION_FAILED", message: expect.stringMatching(message) }),
    );
  });

  test.each<[string, () => unknown, RegExp]>([
    ["its places", () => node.handle("a", handle, { concurrency: 0 }), /^The concurrency of .*handle\("a"\)/],
    ["no function", () => node.handle("a", "handle" as never), /^handle\("a"\) must be given a function/],
    [
      "no function to listen",
      () => node.on("task.dead", null as never),
      /^on\("task\.dead"\) must be given a function/,
    ],
    ["an event", () => node.on("task.deed" as "task.dead", handle), /did you mean "task\.dead"\?/],
    ["a kind of interval", () => node.interval("1m", { name: "a", kind: "often" as "rate" }, handle), /kind must be/],
  ])("a handler, listener or schedule is refused at the call for a fault: %s", (_what, call, message) => {
    expect(call).toThrow(refused(message));
  });
});

describe("the life of a node", () => {
  test("nothing may be given to a node after its start", async () => {
    await node.start();
    const late = /the node was started or stopped already/;
    expect(() => node.handle("a", handle)).toThrow(refused(late));
    expect(() => node.on("task.dead", handle)).toThrow(refused(late));
    expect(() => node.cron("* * * * *", { name: "a" }, handle)).toThrow(refused(late));
  });

  test("a second start or stop of a node is the first one again", async () => {
    await Promise.all([node.start(), node.start()]);
    await Promise.all([node.stop(), node.stop()]);
    expect(double.asked).toEqual(["start", "stop", "close"]);
  });

  test("a node's start that fails closes the connections, once", async () => {
    double.startFails = true;
    await expect(node.start()).rejects.toThrow("no right to do so");
    await node.stop();
    expect(double.asked).toEqual(["start", "stop", "close"]);
  });

  test("a node that was never started is closed by a stop, and is not started after it", async () => {
    await node.stop();
    await expect(node.start()).rejects.toThrow(refused(/stays so: create another/));
    expect(double.asked).toEqual(["stop", "close"]);
  });
});
