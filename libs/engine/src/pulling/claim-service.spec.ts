import { beforeEach, describe, expect, test } from "@jest/globals";
import { CONSUMER, type PulledTask, type TaskHint } from "@tickwheel/core";
import { PulledTasks } from "../../test-support/pulled-tasks.js";
import { Tallies } from "../counting/tallies.js";
import { RetryPace } from "../ending/retry-pace.js";
import { ClaimService } from "./claim-service.js";
import type { PulledClaim } from "./claim-tokens.js";

const LEASE_MS = 30_000;

let tasks: PulledTasks;
let claims: ClaimService;
let hints: TaskHint[];
let ended: string[];

beforeEach(async () => {
  tasks = await PulledTasks.of();
  [hints, ended] = [[], []];
  const { node, clock } = tasks;
  claims = new ClaimService({
    clock,
    random: node.random,
    tasks: node.tasks,
    leases: node.leases,
    tallies: new Tallies(),
    pace: new RetryPace(clock, { leastMs: 100, perSecond: 0 }),
    nowMs: () => tasks.nowMs(),
    publish: (found) => void hints.push(...found),
    ended: (id) => void ended.push(id),
    goOn: () => Promise.resolve(),
  });
});

async function pulledTask(): Promise<PulledTask> {
  const places = [{ consumer: "c1", leaseMs: LEASE_MS }];
  const { tasks: found } = await tasks.node.leases.pull({ typeId: tasks.typeId, places, notBefore: null });
  return found[0]!;
}

function claimOf({ id, fence, typeId, claimedAt }: PulledTask): PulledClaim {
  return { id, fence, typeId, claimedAt, namespace: tasks.namespace };
}

async function claimed(): Promise<PulledClaim> {
  await tasks.create(1);
  return claimOf(await pulledTask());
}

/** The claim's lease ends, and the node learns of it. */
async function outlive(): Promise<void> {
  await tasks.clock.advance(LEASE_MS + 1);
  claims.leasesEnded(await tasks.node.leases.endLeases(10));
}

const lost = expect.objectContaining({ code: "LEASE_LOST" });

describe("a success", () => {
  test("a success of a claim ends the task, and the same success again answers the same, as a replay", async () => {
    const claim = await claimed();
    expect(await claims.complete(claim, '{"width":640}')).toEqual({
      state: "succeeded",
      dueAt: null,
      isReplayed: false,
    });
    expect(await claims.complete(claim, null)).toMatchObject({ state: "succeeded", isReplayed: true });
    expect(ended).toEqual([claim.id]);
    expect(await tasks.get(claim.id)).toMatchObject({ state: "succeeded", owner: CONSUMER, result: '{"width":640}' });
  });

  test("a success of a claim counts where a cancel was asked for", async () => {
    const claim = await claimed();
    await tasks.cancel(claim.id);
    expect(await claims.complete(claim, null)).toMatchObject({ state: "succeeded" });
  });

  test("a success of a lease that has ended is refused, whether the task waits, runs for another or has succeeded", async () => {
    const claim = await claimed();
    await outlive();
    await expect(claims.complete(claim, null)).rejects.toEqual(lost);
    const next = claimOf(await pulledTask());
    await expect(claims.complete(claim, null)).rejects.toEqual(lost);
    await claims.complete(next, null);
    await expect(claims.complete(claim, null)).rejects.toEqual(lost);
  });

  test("the first success of many claims at once is written alone, and the others together", async () => {
    await tasks.create(20);
    const all = [];
    for (let count = 0; count < 20; count++) all.push(claimOf(await pulledTask()));
    await Promise.all(all.map((claim) => claims.complete(claim, null)));
    expect([ended.length, tasks.writes("settle")]).toEqual([20, 2]);
  });
});

describe("a failure", () => {
  test("a failure of a claim is tried again after the wait that it asks for, at least the least wait", async () => {
    const claim = await claimed();
    const end = await claims.fail(claim, { error: "no space left", retryAfterMs: 5_000 });
    expect(end).toEqual({ state: "scheduled", dueAt: tasks.nowMs() + 5_000, isReplayed: false });
    expect(hints.map(({ id, dueAt }) => [id, dueAt])).toEqual([[claim.id, end.dueAt]]);
    await tasks.clock.advance(5_000);
    const again = await claims.fail(claimOf(await pulledTask()), { error: "again" });
    expect(again.dueAt).toBe(tasks.nowMs() + 100);
  });

  test("a failure of a claim that is not to be tried again, and that of the last attempt, is the task's death", async () => {
    expect(await claims.fail(await claimed(), { error: "hopeless", retryable: false })).toMatchObject({
      state: "dead",
    });
    const claim = await claimed();
    await claims.fail(claim, { error: "1" });
    await tasks.clock.advance(100);
    await claims.fail(claimOf(await pulledTask()), { error: "2" });
    await tasks.clock.advance(100);
    expect(await claims.fail(claimOf(await pulledTask()), { error: "3" })).toMatchObject({ state: "dead" });
    expect([ended.length, (await tasks.get(claim.id))?.reason]).toEqual([2, "ATTEMPTS"]);
  });

  test("a failure of a lease that has ended is refused", async () => {
    const claim = await claimed();
    await outlive();
    await expect(claims.fail(claim, { error: "late" })).rejects.toEqual(lost);
  });
});

describe("a release", () => {
  test("a release of a claim schedules the task again at once, and its attempt does not count", async () => {
    const claim = await claimed();
    expect(await claims.release(claim)).toEqual({ state: "scheduled", dueAt: tasks.nowMs(), isReplayed: false });
    expect([hints.length, (await tasks.get(claim.id))?.attempt]).toEqual([1, 0]);
    await expect(claims.release(claim)).rejects.toEqual(lost);
  });

  test("a release of a claim cancels a task that somebody has asked to cancel", async () => {
    const claim = await claimed();
    await tasks.cancel(claim.id);
    expect(await claims.release(claim)).toMatchObject({ state: "cancelled", dueAt: null });
    expect(ended).toEqual([claim.id]);
  });
});

describe("a lease", () => {
  test("a lease lasts for as long from now as an extend asks for", async () => {
    const claim = await claimed();
    await tasks.clock.advance(20_000);
    expect(await claims.extend(claim, 60_000)).toEqual({ leaseUntil: tasks.nowMs() + 60_000 });
    await outlive();
    expect(await tasks.get(claim.id)).toMatchObject({ state: "running" });
  });

  test("a lease is not extended where a cancel was asked for, nor once it is lost", async () => {
    const claim = await claimed();
    await tasks.cancel(claim.id);
    await expect(claims.extend(claim, 1_000)).rejects.toMatchObject({ code: "CANCEL_REQUESTED" });
    await outlive();
    await expect(claims.extend(claim, 1_000)).rejects.toEqual(lost);
    expect(ended).toEqual([claim.id]);
  });

  test("a lease that ends is told as a task that is scheduled again", async () => {
    const claim = await claimed();
    await outlive();
    expect([hints.map(({ id }) => id), ended]).toEqual([[claim.id], []]);
  });
});

describe("what is given back", () => {
  test("a pulled task that is given back is scheduled again at once, uncharged, and told to the calls that wait", async () => {
    await tasks.create(1);
    const task = await pulledTask();
    claims.giveBack([task]);
    await tasks.clock.settle();
    expect(await tasks.get(task.id)).toMatchObject({ state: "scheduled", attempt: 0 });
    expect(hints.map(({ id }) => id)).toEqual([task.id]);
  });

  test("a task given back while the store is away stays until its lease ends, and nobody is told of the failure", async () => {
    await tasks.create(1);
    const task = await pulledTask();
    tasks.node.connection.failNext("release");
    claims.giveBack([task]);
    await tasks.clock.settle();
    expect(await tasks.get(task.id)).toMatchObject({ state: "running" });
  });
});
