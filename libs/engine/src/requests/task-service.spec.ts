import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type Task, TickwheelError } from "@tickwheel/core";
import { MemoryWorld } from "@tickwheel/testing";
import {
  type Handler,
  request,
  SimulatedCluster,
  type SimulatedNode,
  succeeded,
} from "../../test-support/simulated-cluster.js";

let cluster: SimulatedCluster<MemoryWorld>;
let node: SimulatedNode<MemoryWorld>;
const ok: Handler = async () => succeeded;
const long: Handler = async ({ signal }, pause) => {
  await pause(30_000);
  return signal.aborted ? { kind: "failed", error: "told to stop", retryable: true } : succeeded;
};
const SECOND_MS = 1_000;
const webhook = { kind: "webhook", url: "https://example.com/hook" } as const;

beforeEach(async () => {
  cluster = new SimulatedCluster(new MemoryWorld(5), { ok, defaults: ok, long });
  node = await cluster.addNode("n1");
  await cluster.world.clock.advance(2_000);
});
afterEach(() => cluster.stop());

const service = () => node.node.service;
const schedule = (...parameters: Parameters<typeof request>) =>
  cluster.while(service().schedule(request(...parameters)));

describe("schedule", () => {
  test("schedule fills in the documented defaults", async () => {
    const { task, outcome, replayed } = await schedule("ok", 60_000);
    expect([outcome, replayed]).toEqual(["created", false]);
    expect(task).toMatchObject({
      state: "scheduled",
      priority: 5,
      maxAttempts: 3,
      timeoutMs: 60_000,
      startDeadlineAt: null,
      createdBy: "test",
    });
    expect(task.backoff).toEqual({ kind: "exponential", initialMs: 1_000, maxMs: 3_600_000, jitter: 0.2 });
  });

  test("a taken key is an error of schedule that names the task which holds it", async () => {
    const { task } = await schedule("ok", 60_000, { key: "k" });
    await expect(schedule("ok", 60_000, { key: "k" })).rejects.toMatchObject({
      code: "TASK_KEY_CONFLICT",
      details: { existingId: task.id },
    });
  });

  test("a time in more than a hundred years is refused, also by an edit, and a bulk refuses only its item", async () => {
    const far = { due: { at: Number.MAX_SAFE_INTEGER } };
    const refusal = { code: "VALIDATION_FAILED", faults: [{ path: "scheduledAt" }] };
    await expect(schedule("ok", 0, far)).rejects.toMatchObject(refusal);
    const { task } = await schedule("ok", 60_000);
    const edit = service().edit({ namespace: task.namespace, id: task.id, changes: far, actor: "test" });
    await expect(cluster.while(edit)).rejects.toMatchObject(refusal);
    const items = [request("ok", 0, far), request("ok", 60_000)];
    const { results } = await cluster.while(service().scheduleMany(task.namespace, items));
    expect(results).toMatchObject([{ error: { errors: refusal.faults } }, { status: "created" }]);
  });

  test("a type keeps the delivery of its first task", async () => {
    await expect(schedule("ok", 0, { outbound: webhook })).rejects.toMatchObject({ code: "TYPE_DELIVERY_CONFLICT" });
  });

  test("an idempotency key gives the first answer again, and refuses another body", async () => {
    const idempotency = { key: "once", bodyHash: "a" };
    const first = await schedule("ok", 60_000, { idempotency });
    const again = await schedule("ok", 60_000, { idempotency });
    expect(again).toMatchObject({ replayed: true, outcome: "created", task: { id: first.task.id } });
    const other = schedule("ok", 1_000, { idempotency: { ...idempotency, bodyHash: "b" } });
    await expect(other).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
  });

  test("a task scheduled within a caller's transaction runs after the commit, and never after a rollback", async () => {
    let id = "";
    await cluster.while(
      cluster.world.database.transaction(async (within) => {
        id = (await service().schedule(request("ok", 0), { within })).task.id;
        await service().schedule(request("ok", 0), { within });
      }),
    );
    const failed = cluster.world.database.transaction(async (within) => {
      await service().schedule(request("ok", 0), { within });
      throw new Error("rolled back");
    });
    await expect(cluster.while(failed)).rejects.toThrow("rolled back");
    await cluster.world.clock.advance(1_500);
    expect(cluster.starts).toHaveLength(2);
    expect(cluster.starts.map((start) => start.id)).toContain(id);
  });
});

describe("scheduleMany", () => {
  test("one bad item of a bulk does not stop the rest, and results keep their order", async () => {
    await schedule("ok", 60_000, { key: "taken" });
    const requests = [
      request("ok", 50),
      request("ok", 50, { outbound: webhook }),
      request("ok", 50, { key: "taken" }),
      request("ok", 50, { key: "free" }),
    ];
    const { results, replayed } = await cluster.while(service().scheduleMany("default", requests));
    expect(replayed).toBe(false);
    expect(results).toMatchObject([
      { status: "created" },
      { status: "rejected", error: { code: "TYPE_DELIVERY_CONFLICT" } },
      { status: "rejected", error: { code: "TASK_KEY_CONFLICT" } },
      { status: "created", task: { key: "free" } },
    ]);
    await cluster.world.clock.advance(100);
    expect(cluster.starts).toHaveLength(2);
  });

  test("a long bulk is drafted in several turns of the loop", async () => {
    const { clock } = cluster.world;
    const giveTurn = clock.nextTurn.bind(clock);
    let turns = 0;
    clock.nextTurn = (callback) => {
      turns++;
      giveTurn(callback);
    };
    const turnsOf = async (count: number): Promise<number> => {
      turns = 0;
      const requests = Array.from({ length: count }, () => request("ok", 60_000));
      expect((await cluster.while(service().scheduleMany("default", requests))).results).toHaveLength(count);
      return turns;
    };
    expect([await turnsOf(400), await turnsOf(600)]).toEqual([0, 1]);
  });

  test("an item's own idempotency key holds in a bulk too", async () => {
    const own = { idempotency: { key: "i", bodyHash: "a" } };
    const first = await cluster.while(service().scheduleMany("default", [request("ok", 50), request("ok", 50, own)]));
    const other = { idempotency: { key: "i", bodyHash: "b" } };
    const items = [request("ok", 50, own), request("ok", 50, other), request("ok", 50)];
    const { results } = await cluster.while(service().scheduleMany("default", items));
    const idOf = (result?: object) => (result as { task: { id: string } }).task.id;
    expect(idOf(results[0])).toBe(idOf(first.results[1]));
    expect(results).toMatchObject([
      { status: "created" },
      { status: "rejected", error: { code: "IDEMPOTENCY_KEY_REUSED" } },
      { status: "created" },
    ]);
  });

  test("a bulk of any size goes in groups, and reports for each whether it was written when the store fails between them", async () => {
    const payload = JSON.stringify("x".repeat(60_000)) as never;
    const requests = Array.from({ length: 800 }, () => request("ok", 60_000, { payload }));
    const sizes: number[] = [];
    const { create } = node.tasks;
    node.tasks.create = async (asked, within) => {
      sizes.push(asked.tasks.length);
      if (sizes.length === 2) throw new TickwheelError("STORE_UNAVAILABLE", "gone");
      return create.call(node.tasks, asked, within);
    };
    const { results } = await cluster.while(service().scheduleMany("default", requests));
    expect(sizes).toEqual([279, 279]);
    expect(results).toHaveLength(800);
    expect(results.slice(0, 279).every(({ status }) => status === "created")).toBe(true);
    const error = { code: "STORE_UNAVAILABLE", detail: "gone", errors: [] };
    expect(results[279]).toEqual({ status: "rejected", error });
    expect(results.at(-1)).toMatchObject({ error: { detail: expect.stringContaining("was not sent") as unknown } });
    sizes.length = 1;
    await expect(service().scheduleMany("default", [request("ok", 60_000)])).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
  });

  test("scheduleMany with nothing to write is no error", async () => {
    const only = [request("ok", 50, { outbound: webhook })];
    expect((await cluster.while(service().scheduleMany("default", only))).results).toMatchObject([
      { status: "rejected" },
    ]);
    expect((await cluster.while(service().scheduleMany("default", []))).results).toEqual([]);
  });
});

describe("what changes a task", () => {
  test("run-now and reschedule change the wheel at once", async () => {
    const { task } = await schedule("ok", 3_600_000);
    const other = (await schedule("ok", 5_000)).task;
    await cluster.while(service().runNow({ namespace: "default", id: task.id, actor: "test" }));
    const changes = { due: { delayMs: 300 } };
    await cluster.while(service().edit({ namespace: "default", id: other.id, changes, actor: "test" }));
    await cluster.world.clock.advance(310);
    expect(cluster.starts.map(({ id }) => id)).toEqual([task.id, other.id]);
  });

  test("a countdown of 60 seconds that stands still for 30 is over at 90, to the tick; run-now leaves it paused", async () => {
    const { task } = await schedule("ok", 60 * SECOND_MS);
    const hold = { target: { namespace: "default", id: task.id }, actor: "test" };
    const { clock } = cluster.world;
    await clock.advance(59 * SECOND_MS + 500);
    await cluster.while(service().pause(hold));
    const refused = await cluster.while(service().runNow({ namespace: "default", id: task.id, actor: "test" }));
    expect(refused).toMatchObject({ outcome: "state_conflict", task: { state: "paused" } });
    await clock.advance(30 * SECOND_MS);
    expect(cluster.starts).toEqual([]);
    const resumed = await cluster.while(service().resume(hold));
    const { dueAt, pausedMs } = (resumed as { task: Task }).task;
    expect([dueAt - task.dueAt, Math.floor(pausedMs / SECOND_MS)]).toEqual([pausedMs, 30]);
    await clock.advance(dueAt - cluster.world.database.now() - 1);
    expect(cluster.starts).toEqual([]);
    await clock.advance(3);
    expect(cluster.starts.map(({ id }) => id)).toEqual([task.id]);
  });

  test("a postponed task does not start at its old time", async () => {
    const { task } = await schedule("ok", 1_000);
    const changes = { due: { delayMs: 2_000 } };
    await cluster.while(service().edit({ namespace: "default", id: task.id, changes, actor: "test" }));
    await cluster.world.clock.advance(1_900);
    expect(cluster.starts).toEqual([]);
    await cluster.world.clock.advance(110);
    expect(cluster.starts).toHaveLength(1);
  });

  test("a terminal task that is retried runs again, with a clean account", async () => {
    const { task } = await schedule("ok", 0);
    await cluster.world.clock.advance(5_000);
    const reply = await cluster.while(service().retry({ namespace: "default", id: task.id, actor: "test" }));
    expect(reply).toMatchObject({ outcome: "scheduled", task: { attempt: 0 } });
    await cluster.world.clock.advance(50);
    expect(cluster.starts.map(({ id }) => id)).toEqual([task.id, task.id]);
  });

  test("the running task is aborted at once when it is replaced, on any node, alone and in a batch", async () => {
    const writer = await cluster.addNode("writer", { roles: ["api"] });
    const replacement = (key: string) => request("ok", 60_000, { key, onConflict: "replace" });
    const held = [await schedule("long", 0, { key: "a" }), await schedule("long", 0, { key: "b" })];
    await cluster.world.clock.advance(100);
    for (const [{ task }, node] of [
      [held[0]!, writer],
      [held[1]!, cluster.nodes[0]!],
    ] as const) {
      const asked = { ...replacement(task.key!), type: "long" };
      if (node === writer) await cluster.while(node.node.service.schedule(asked));
      else await cluster.while(node.node.service.scheduleMany("default", [asked]));
    }
    await cluster.world.clock.advance(50);
    for (const { task } of held) {
      const now = await cluster.while(service().get("default", task.id));
      expect(now).toMatchObject({ state: "cancelled", reason: "REPLACED" });
    }
  });

  test.each(["replace", "refresh"] as const)(
    "a bulk that asks for %s of one key leaves one task that waits, and it runs once",
    async (onConflict) => {
      const items = Array.from({ length: 50 }, () => request("ok", 1_000, { key: "k", onConflict }));
      const { results } = await cluster.while(service().scheduleMany("default", items));
      const tasks = results.map((result) => (result.status === "rejected" ? null : result.task));
      const last = tasks.at(-1)!;
      const others = onConflict === "replace" ? ["cancelled", "REPLACED"] : ["scheduled", null];
      expect(tasks.slice(0, -1).map((task) => [task?.state, task?.reason])).toEqual(tasks.slice(1).map(() => others));
      expect([last.state, node.node.wheelSize]).toEqual(["scheduled", 1]);
      await cluster.world.clock.advance(2_000);
      expect(cluster.starts.map(({ id }) => id)).toEqual([last.id]);
    },
  );

  test("a running task whose key goes on to the next cycle is not aborted", async () => {
    const { task } = await schedule("long", 0, { key: "a" });
    await cluster.world.clock.advance(100);
    await schedule("long", 60_000, { key: "a", onConflict: "refresh" });
    await cluster.world.clock.advance(31_000);
    expect(await cluster.while(service().get("default", task.id))).toMatchObject({ state: "succeeded" });
  });

  test("a cancelled task leaves the wheel", async () => {
    const { task } = await schedule("ok", 5_000);
    expect(node.node.wheelSize).toBe(1);
    const { wheel } = await cluster.while(service().stats("default"));
    expect(wheel.entries).toBe(1);
    expect(wheel.bytes).toBeGreaterThan(0);
    await cluster.while(service().cancel({ namespace: "default", id: task.id }, "test"));
    expect(node.node.wheelSize).toBe(0);
    const missing = await cluster.while(service().cancel({ namespace: "other", id: task.id }, "test"));
    expect(missing).toEqual({ outcome: "not_found" });
  });

  test("a task that is cancelled briefly leaves the wheel, too, and a running task is told", async () => {
    const { task } = await schedule("ok", 5_000);
    const request = { namespace: "default", id: task.id, actor: "test" };
    expect(await cluster.while(service().cancelBriefly(request))).toEqual({ outcome: "cancelled", id: task.id });
    expect(node.node.wheelSize).toBe(0);
    expect(await cluster.while(service().get("default", task.id))).toMatchObject({ state: "cancelled" });

    const { task: running } = await schedule("long", 0);
    await cluster.world.clock.advance(100);
    const asked = await cluster.while(service().cancelBriefly({ ...request, id: running.id }));
    expect(asked).toMatchObject({ outcome: "cancel_requested", task: { id: running.id, state: "running" } });
    await cluster.world.clock.advance(31_000);
    expect(await cluster.while(service().cancelBriefly({ ...request, namespace: "other" }))).toEqual({
      outcome: "not_found",
    });
  });
});

describe("what is read", () => {
  test("one count of tasks serves all callers within a second", async () => {
    await cluster.while(service().stats("default"));
    await schedule("ok", 60_000);
    expect((await service().stats("default")).counts.scheduled).toBe(0);
    await cluster.world.clock.advance(1_001);
    expect((await service().stats("default")).counts.scheduled).toBe(1);
  });

  test("a type that no node runs waits for a handler, without an attempt", async () => {
    const { task } = await schedule("nobody", 0);
    await cluster.world.clock.advance(70_000);
    const now = (await service().get("default", task.id))!;
    expect(now).toMatchObject({ state: "scheduled", attempt: 0, fence: 0 });
    expect(service().waitingFor(now)).toBe("HANDLER");
  });

  test("the cluster looks the same from a member and from a node without an engine", async () => {
    const outside = await cluster.addNode("outside", { roles: ["api"] });
    await cluster.world.clock.advance(2_000);
    const inner = await service().cluster();
    const outer = await outside.node.service.cluster();
    expect(outer).toMatchObject({
      leader: { node: "n1", term: 1 },
      view: inner.view,
      slots: 4_096,
      coordination: "redis",
    });
    expect(outer.nodes).toMatchObject([
      { label: "n1", state: "live", types: ["defaults", "long", "ok"], ownedSlots: 4_096 },
    ]);
    expect(inner.nodes).toMatchObject([
      { label: "n1", state: "live", types: ["defaults", "long", "ok"], ownedSlots: 4_096 },
    ]);
    expect(outer.nodes[0]!.heartbeatAgeMs).toBeLessThan(2_000);
  });
});
