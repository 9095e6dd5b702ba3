import { beforeEach, describe, expect, test } from "@jest/globals";
import { CONSUMER, type PulledTask } from "@tickwheel/core";
import { PulledTasks } from "../../test-support/pulled-tasks.js";
import { type PullAnswer, type PullAsk, QueueDesk } from "./queue-desk.js";

let tasks: PulledTasks;
let desk: QueueDesk;
let back: string[];
let told: number;

beforeEach(async () => {
  tasks = await PulledTasks.of();
  [back, told] = [[], 0];
  desk = new QueueDesk({
    typeId: tasks.typeId,
    clock: tasks.clock,
    random: { next: () => 0.5 },
    nowMs: () => tasks.nowMs(),
    pull: (request) => tasks.pull(request),
    giveBack: (found: readonly PulledTask[]) => void back.push(...found.map(({ id }) => id)),
    waitingChanged: () => void told++,
  });
});

/** A call, and what it was answered: the tasks' ids, `null` as long as it waits, or the error. */
function call(ask: Partial<PullAsk> = {}) {
  const made: { ids: string[] | null; answer: PullAnswer | null; error: unknown } = {
    ids: null,
    answer: null,
    error: null,
  };
  desk.wait({ consumer: "c1", max: 1, leaseMs: 30_000, waitMs: 10_000, ...ask }).then(
    (answer) => Object.assign(made, { answer, ids: answer.tasks.map(({ id }) => id) }),
    (error: unknown) => (made.error = error),
  );
  return made;
}

describe("a call", () => {
  test("a call for tasks that comes first asks the store at once, and gets as many tasks as it asks for", async () => {
    const ids = await tasks.create(3);
    const made = call({ max: 2 });
    await tasks.clock.settle();
    expect([made.ids, tasks.asked.length, desk.size]).toEqual([ids.slice(0, 2), 1, 0]);
  });

  test("a call for tasks that does not wait asks the store once, also where others wait, and is told that there is nothing", async () => {
    const waiting = call();
    await tasks.clock.settle();
    const made = call({ waitMs: 0 });
    await tasks.clock.settle();
    expect([made.ids, waiting.ids, tasks.asked.length]).toEqual([[], null, 2]);
  });

  test("a call for tasks is told that there is nothing when its time is over", async () => {
    const made = call({ waitMs: 2_500 });
    await tasks.clock.advance(2_499);
    expect(made.ids).toBeNull();
    await tasks.clock.advance(1);
    expect([made.ids, desk.size]).toEqual([[], 0]);
  });

  test("a call for tasks whose time is over while a pull for it is under way gets what the pull brings", async () => {
    const letThrough = tasks.hold();
    const made = call({ waitMs: 500 });
    const ids = await tasks.create(1);
    await tasks.clock.advance(600);
    expect(made.ids).toBeNull();
    await letThrough();
    expect([made.ids, back]).toEqual([ids, []]);
  });

  test("a call for tasks whose caller has gone already is none", async () => {
    const made = call({ signal: AbortSignal.abort() });
    await tasks.clock.settle();
    expect([made.ids, tasks.asked, told]).toEqual([[], [], 0]);
  });

  test("a call whose caller goes while a pull is under way loses its tasks, and they are given back", async () => {
    const ids = await tasks.create(3);
    const letThrough = tasks.hold();
    const caller = new AbortController();
    const gone = call({ max: 2, signal: caller.signal });
    await tasks.clock.settle();
    caller.abort();
    await letThrough();
    expect([gone.ids, back]).toEqual([[], ids.slice(0, 2)]);
  });
});

describe("calls that wait", () => {
  test("calls that wait for tasks are served in the order in which they came, each up to what it asks for, by one pull", async () => {
    const letThrough = tasks.hold();
    const first = call({ waitMs: 0 });
    const second = call({ consumer: "c2", max: 2 });
    const third = call({ consumer: "c3", max: 2 });
    const fourth = call();
    await letThrough();
    expect(first.ids).toEqual([]);
    const ids = await tasks.create(3);
    desk.hinted(tasks.nowMs());
    await tasks.clock.settle();
    expect([second.ids, third.ids, fourth.ids]).toEqual([ids.slice(0, 2), ids.slice(2), null]);
    expect(tasks.asked.at(-1)!.places.map(({ consumer }) => consumer)).toEqual(["c2", "c2", "c3", "c3", "c1"]);
  });

  test("calls that wait for tasks share a hundred places at most", async () => {
    const calls = Array.from({ length: 3 }, () => call({ max: 60 }));
    await tasks.clock.settle();
    desk.hinted(tasks.nowMs());
    await tasks.clock.settle();
    expect([tasks.asked.at(-1)!.places.length, calls.map(({ ids }) => ids)]).toEqual([100, [null, null, null]]);
  });

  test("calls that wait for tasks ask the store each second, and nobody asks when none waits any more", async () => {
    call({ waitMs: 3_500 });
    await tasks.clock.advance(3_500);
    expect(tasks.asked).toHaveLength(4);
    await tasks.clock.advance(60_000);
    expect([tasks.asked.length, tasks.clock.pendingTimers]).toEqual([4, 0]);
  });

  test("calls that wait for tasks are told that there is nothing when the desk is closed", async () => {
    const calls = [call(), call()];
    await tasks.clock.settle();
    desk.close();
    await tasks.clock.settle();
    expect([calls.map(({ ids }) => ids), tasks.clock.pendingTimers]).toEqual([[[], []], 0]);
  });

  test("calls that wait for tasks are told of by the first call that comes and the last call that goes", async () => {
    call({ waitMs: 1_000 });
    call({ waitMs: 2_000 });
    expect(told).toBe(1);
    await tasks.clock.advance(2_000);
    expect(told).toBe(2);
  });
});

describe("a pull", () => {
  test("a pull follows at once where the pull before has brought all that it asked for", async () => {
    const ids = await tasks.create(3);
    const calls = [call({ max: 2 }), call({ max: 2 })];
    await tasks.clock.settle();
    expect([calls.map((made) => made.ids), tasks.asked.length]).toEqual([[ids.slice(0, 2), ids.slice(2)], 2]);
  });

  test("a pull comes when the next task is due", async () => {
    const [id] = await tasks.create(1, 400);
    const made = call();
    await tasks.clock.advance(399);
    expect(made.ids).toBeNull();
    await tasks.clock.advance(1);
    expect([made.ids, tasks.asked.length]).toEqual([[id], 2]);
  });

  test("a pull comes when a hint says that something is due, now or later", async () => {
    const made = call();
    await tasks.clock.settle();
    desk.hinted(tasks.nowMs() + 300);
    await tasks.clock.advance(299);
    expect(tasks.asked).toHaveLength(1);
    const [id] = await tasks.create(1);
    await tasks.clock.advance(1);
    expect([made.ids, tasks.asked.length]).toEqual([[id], 2]);
  });

  test("a pull follows another pull that was under way when a hint came, since its snapshot may be too old", async () => {
    const made = call();
    await tasks.clock.settle();
    desk.hinted(tasks.nowMs());
    desk.hinted(tasks.nowMs());
    await tasks.clock.settle();
    expect([made.ids, tasks.asked.length]).toEqual([null, 3]);
  });

  test("a pull comes when a hint said so that came while another pull was under way", async () => {
    const letThrough = tasks.hold();
    const made = call();
    desk.hinted(tasks.nowMs() + 300);
    await letThrough();
    const [id] = await tasks.create(1, 300);
    await tasks.clock.advance(299);
    expect([made.ids, tasks.asked.length]).toEqual([null, 1]);
    await tasks.clock.advance(1);
    expect([made.ids, tasks.asked.length]).toEqual([[id], 2]);
  });

  test("a pull is not asked for by a hint where nobody waits", async () => {
    desk.hinted(tasks.nowMs());
    await tasks.clock.advance(5_000);
    expect(tasks.asked).toEqual([]);
  });

  test("a pull that fails is told to the calls that it was for, and not to those that came meanwhile", async () => {
    tasks.node.connection.failNext("leases.pull");
    const letThrough = tasks.hold();
    const first = call();
    const later = call();
    await letThrough();
    expect([first.error, later.error]).toEqual([expect.objectContaining({ code: "STORE_UNAVAILABLE" }), null]);
    const [id] = await tasks.create(1);
    await tasks.clock.advance(1_000);
    expect(later.ids).toEqual([id]);
  });

  test("a pull of a paused type tells a call so, both a call that does not wait and one that has waited", async () => {
    await tasks.pause();
    const made = call({ waitMs: 0 });
    await tasks.clock.settle();
    expect(made.answer).toEqual({ tasks: [], isPaused: true });
    const waited = call({ waitMs: 500 });
    await tasks.clock.settle();
    await tasks.clock.advance(500);
    expect(waited.answer).toEqual({ tasks: [], isPaused: true });
  });

  test("a pull that a limit has cut short is followed by another pull after 100 ms", async () => {
    await tasks.limit(1);
    await tasks.create(2);
    const calls = [call({ max: 2 }), call()];
    await tasks.clock.settle();
    const asked = tasks.asked.length;
    await tasks.clock.advance(99);
    expect([calls.map(({ ids }) => ids?.length), tasks.asked.length - asked]).toEqual([[1, undefined], 0]);
    await tasks.clock.advance(1);
    expect(tasks.asked.length - asked).toBe(1);
  });

  test("a pull that a limit has cut short is followed at once when a task of the type ends here", async () => {
    await tasks.limit(1);
    const [first, second] = await tasks.create(2);
    call();
    await tasks.clock.settle();
    const waiting = call();
    await tasks.clock.settle();
    expect(waiting.ids).toBeNull();
    const end = { kind: "succeeded", startedAt: tasks.nowMs(), result: null } as const;
    await tasks.node.tasks.settle([{ ...end, id: first!, fence: 1, owner: CONSUMER }]);
    desk.roomFreed();
    await tasks.clock.settle();
    expect(waiting.ids).toEqual([second]);
  });

  test("a pull that no limit has cut short is not followed by another pull when a task ends", async () => {
    call();
    await tasks.clock.settle();
    desk.roomFreed();
    await tasks.clock.settle();
    expect(tasks.asked).toHaveLength(1);
  });

  test("a pull looks back for 30 s once a pull has found all that was due, and each minute at the whole queue", async () => {
    call({ waitMs: 61_500 });
    await tasks.clock.advance(61_500);
    const bounds = tasks.asked.map(({ notBefore }) => notBefore !== null);
    expect([bounds[0], bounds[1], bounds[59], bounds[60], bounds[61]]).toEqual([false, true, true, false, true]);
    expect(tasks.nowMs() - tasks.asked.at(-1)!.notBefore!).toBeGreaterThanOrEqual(30_000);
  });
});
