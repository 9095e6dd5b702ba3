import { afterEach, describe, expect, test } from "@jest/globals";
import type { Clock, LatenessParts, SchedulerOptions, Task } from "@tickwheel/core";
import { wait } from "@tickwheel/core";
import { MemoryWorld } from "@tickwheel/testing";
import {
  type Handler,
  request,
  SimulatedCluster,
  type SimulatedNode,
  succeeded,
} from "../../test-support/simulated-cluster.js";

const DELAY_MS = 70;

/** What one stage of a task's way can be delayed by. */
const delays = { timers: 0, claims: 0 };

/** A world whose nodes' timers and claims can be delayed. */
class DelayedWorld extends MemoryWorld {
  override join(label: string): ReturnType<MemoryWorld["join"]> {
    const seat = super.join(label);
    const { clock, tasks } = seat;
    const setTimer = clock.setTimer.bind(clock);
    clock.setTimer = (delayMs, callback) => setTimer(delayMs + delays.timers, callback);
    const claim = tasks.claim.bind(tasks);
    tasks.claim = async (asked) => {
      if (delays.claims > 0) await wait(this.clock as Clock, delays.claims);
      return claim(asked);
    };
    return seat;
  }
}

let cluster: SimulatedCluster<DelayedWorld>;
let n1: SimulatedNode<DelayedWorld>;
const dead: SimulatedNode<DelayedWorld>[] = [];
const ok: Handler = async () => succeeded;
const slow: Handler = async (_execution, pause) => {
  await pause(1_000 + DELAY_MS);
  return succeeded;
};

async function begin(options: Partial<SchedulerOptions> = {}): Promise<void> {
  cluster = new SimulatedCluster(new DelayedWorld(7), { ok, slow }, options);
  n1 = await cluster.addNode("n1");
  await cluster.world.clock.advance(2_000);
}

const schedule = async (...asked: Parameters<typeof request>): Promise<Task> =>
  (await cluster.while(n1.node.service.schedule(request(...asked)))).task;

/** The lateness of a task that has ended by then. The remainder of the way takes no time in this world. */
async function partsAfter(ms: number, { id }: Task): Promise<LatenessParts & { latenessMs: number }> {
  await cluster.world.clock.advance(ms);
  const { state, startedAt, dueAt, createdAt, latenessParts } = (await cluster.while(
    n1.node.service.get("default", id),
  ))!;
  expect(state).toBe("succeeded");
  return { ...latenessParts!, latenessMs: startedAt! - Math.max(dueAt, createdAt) };
}

const NONE = { known: 0, wheel: 0, place: 0, claim: 0, start: 0 };

afterEach(async () => {
  Object.assign(delays, { timers: 0, claims: 0 });
  await cluster.stop(dead.splice(0));
  expect(cluster.world.clock.pendingTimers).toBe(0);
});

describe("a delay of one stage moves its part of the lateness, and no other", () => {
  test("a task that is known in time starts in time, and no part of its lateness moves", async () => {
    await begin();
    const latenessParts = await partsAfter(2_000, await schedule("ok", 1_000));
    expect(latenessParts).toMatchObject({
      latenessMs: latenessParts.start,
      known: 0,
      wheel: 0,
      place: 0,
      claim: 0,
      takenFrom: null,
    });
    expect(latenessParts.clockErrorUs).toBeGreaterThan(0);
    expect(latenessParts.latenessMs).toBeLessThanOrEqual(Math.ceil((2 * latenessParts.clockErrorUs) / 1_000) + 1);
  });

  test("a task that neither a hint nor the loader brought is late by the part known alone", async () => {
    await begin();
    n1.connection.failNext("loadWindow", 1_000);
    const writer = await cluster.addNode("writer", { roles: ["api"] });
    cluster.world.bus.lose = () => true;
    const { task } = await cluster.while(writer.node.service.schedule(request("ok", 2_000)));
    const latenessParts = await partsAfter(4_000, task);
    expect(latenessParts.known).toBeGreaterThan(DELAY_MS);
    expect(latenessParts).toMatchObject({
      ...NONE,
      known: latenessParts.known,
      start: latenessParts.latenessMs - latenessParts.known,
    });
    expect(latenessParts.start).toBeLessThan(5);
  });

  test("a task whose timer fires late is late by the part wheel alone", async () => {
    await begin();
    delays.timers = 20 + DELAY_MS;
    expectDelayed(await partsAfter(2_000, await schedule("ok", 1_000)), "wheel");
  });

  test("a task for which all places are taken is late by the part place alone", async () => {
    await begin({ concurrency: 1 });
    await schedule("slow", 0);
    await cluster.world.clock.advance(10);
    expectDelayed(await partsAfter(2_000, await schedule("ok", 990)), "place");
  });

  test("a task whose claim the store answers late is late by the part claim alone", async () => {
    await begin();
    const task = await schedule("ok", 1_000);
    delays.claims = 20 + DELAY_MS;
    expectDelayed(await partsAfter(2_000, task), "claim");
  });

  test("a task that comes while another claim is in flight is late by the part claim alone", async () => {
    await begin();
    await schedule("ok", 1_000 - 20);
    const task = await schedule("ok", 1_000);
    delays.claims = DELAY_MS;
    const latenessParts = await partsAfter(2_000, task);
    // It waits for what is left of the other claim, and then for its own.
    expect(latenessParts).toMatchObject({ ...NONE, claim: latenessParts.claim, start: latenessParts.start });
    expect(latenessParts.claim).toBeGreaterThan(DELAY_MS - 5);
    expect(latenessParts.claim + latenessParts.start).toBe(latenessParts.latenessMs);
  });
});

function expectDelayed(latenessParts: LatenessParts & { latenessMs: number }, part: keyof typeof NONE): void {
  expect(latenessParts).toMatchObject({ ...NONE, [part]: latenessParts[part], start: latenessParts.start });
  // A timer is set for a moment up to 20 ms before the due time: how far before depends on the wheel.
  expect(Math.abs(latenessParts[part] - DELAY_MS)).toBeLessThanOrEqual(20);
  expect(latenessParts[part] + latenessParts.start).toBe(latenessParts.latenessMs);
  expect(latenessParts.start).toBeLessThanOrEqual(5);
}

describe("a task that was taken over", () => {
  test("a task that was taken over names the node that held it and fell silent, and when", async () => {
    await begin();
    const n2 = await cluster.addNode("n2");
    await cluster.world.clock.advance(3_000);
    const tasks: Task[] = [];
    for (let count = 0; count < 40; count++) tasks.push(await schedule("ok", 2_100 + 50 * count));
    const killedAt = cluster.world.database.now();
    cluster.kill(n2);
    dead.push(n2);
    await cluster.world.clock.advance(15_000);
    const late: LatenessParts[] = [];
    for (const task of tasks) {
      const latenessParts = await partsAfter(0, task);
      if (latenessParts.known > 0) late.push(latenessParts);
      else expect(latenessParts.takenFrom).toBeNull();
    }
    expect(late.length).toBeGreaterThan(5);
    for (const { takenFrom } of late) {
      expect(takenFrom?.node).toBe("n2");
      expect(Math.abs(takenFrom!.silentSince! - killedAt)).toBeLessThan(1_500);
      expect(takenFrom!.takenOverAt).toBeGreaterThan(takenFrom!.silentSince!);
    }
  });
});
