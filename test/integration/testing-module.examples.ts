import { expect } from "@jest/globals";
import { type DelayTaskService, duration, type Duration, TickwheelError } from "@tickwheel/nestjs";
import type { DelayTaskTesting } from "@tickwheel/testing/nest";
import { type Diary, Gather, Once, Write } from "../support/app/diary-app.js";

/** An application under test, and what its test needs. */
export interface Scene {
  tasks: DelayTaskTesting;
  service: DelayTaskService;
  diary: Diary;
}

/** Small tests as users write them, by their names. They are the same in memory and on Postgres. */
export const EXAMPLES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  ...waits(["1", "250ms", "1s", "59s", "60s", "61s", "15m", "1h", "1d", "30d"]),
  ...failures([1, 2, 3]),
  ...merges([1, 2, 10]),

  "what is due now runs when the test says so, and not before": async ({ tasks, service, diary }) => {
    await service.schedule(Write, { text: "now" });
    await tasks.expectTask(Write).dueIn(0);
    expect(diary.lines).toEqual([]);
    expect(await tasks.runDue()).toMatchObject([{ task: { type: "diary.write", attempt: 1 } }]);
    expect(diary.lines).toEqual(["now"]);
  },

  "nothing of a later time runs with what is due now": async ({ tasks, service, diary }) => {
    await service.schedule(Write, { text: "later" }, { delay: 1 });
    expect(await tasks.runDue()).toEqual([]);
    expect(diary.lines).toEqual([]);
  },

  "tasks run in the order of their times": async ({ tasks, service, diary }) => {
    for (const minute of [3, 1, 2]) await service.schedule(Write, { text: String(minute) }, { delay: minute * 60_000 });
    await tasks.advance("3m");
    expect(diary.lines).toEqual(["1", "2", "3"]);
  },

  "half of the time is not enough": async ({ tasks, service, diary }) => {
    await service.schedule(Write, { text: "x" }, { delay: "10m" });
    await tasks.advance("5m");
    await tasks.expectTask(Write).dueIn("5m");
    expect(diary.lines).toEqual([]);
    await tasks.advance("5m");
    expect(diary.lines).toEqual(["x"]);
  },

  "a task that the retention has taken is told as such": async ({ tasks, service }) => {
    await service.schedule(Write, { text: "x" }, { key: "k" });
    await tasks.runDue();
    const ran = () => tasks.expectTask(Write).withKey("k").inState("succeeded");
    await ran();
    await expect(tasks.expectTask(Write).withKey("other").then()).rejects.not.toThrow("retention");
    await tasks.advance("10d");
    await expect(ran().then()).rejects.toThrow(/One that has run is gone.*retention \(historyRetentionDays 7,/);
  },

  "an instant is as good as a duration": async ({ tasks, service, diary }) => {
    const at = new Date(tasks.now.getTime() + 3_600_000);
    await service.schedule(Write, { text: "at" }, { scheduledAt: at });
    await tasks.expectTask(Write).dueAt(at);
    await tasks.advanceTo(at);
    expect([diary.lines, tasks.now]).toEqual([["at"], at]);
  },

  "a hundred tasks of one instant all run": async ({ tasks, service, diary }) => {
    const items = Array.from({ length: 100 }, (_, at) => ({
      task: Write,
      payload: { text: `${at}` },
      delay: "1h" as const,
    }));
    await service.scheduleMany(items);
    expect(await tasks.advance("1h")).toHaveLength(100);
    expect(new Set(diary.lines).size).toBe(100);
  },

  "its lateness is none": async ({ tasks, service }) => {
    const { task } = await service.schedule(Write, { text: "exact" }, { delay: "7m" });
    await tasks.advance("7m");
    expect(await service.get(task.id)).toMatchObject({ state: "succeeded", latenessMs: 0, result: "exact" });
  },

  "a final failure is not tried again": async ({ tasks, service, diary }) => {
    await service.schedule(Write, { text: "", final: true }, { key: "f" });
    const [run] = await tasks.drain(Write);
    expect((run!.error as Error).message).toBe("this never works");
    await tasks.expectTask(Write).withKey("f").inState("dead");
    expect(diary.dead).toEqual(["diary.write"]);
  },

  "a dead task is retried after the fix": async ({ tasks, service, diary }) => {
    const { task } = await service.schedule(Write, { text: "fixed", failures: 1 }, { maxAttempts: 1, key: "k" });
    await tasks.drain();
    await tasks.expectTask(Write).withKey("k").inState("dead");
    diary.isFixed = true;
    await service.retry(task.id);
    await tasks.runDue();
    expect([diary.lines, diary.dead]).toEqual([["fixed"], ["diary.write"]]);
  },

  "a handler names the time of its next attempt": async ({ tasks, service, diary }) => {
    const retryAt = new Date(tasks.now.getTime() + 7_200_000).toISOString();
    await service.schedule(Write, { text: "then", retryAt });
    await tasks.runDue();
    await tasks.expectTask(Write).dueAt(new Date(retryAt));
    await tasks.advance("2h");
    expect(diary.lines).toEqual(["then"]);
  },

  "a retry keeps its distance": async ({ tasks, service, diary }) => {
    await service.schedule(Write, { text: "second", failures: 1 });
    await tasks.runDue();
    await tasks.expectTask(Write).dueIn("10s");
    await tasks.advance(9_999);
    expect(diary.lines).toEqual([]);
    await tasks.advance(1);
    expect(diary.lines).toEqual(["second"]);
  },

  "a handler puts its task off": async ({ tasks, service, diary }) => {
    await service.schedule(Write, { text: "rested", snooze: "30m" });
    await tasks.runDue();
    await tasks.expectTask(Write).dueIn("30m");
    await tasks.advance("30m");
    expect(diary.lines).toEqual(["rested"]);
  },

  "what a handler spawns runs in its time": async ({ tasks, service, diary }) => {
    await service.schedule(Write, { text: "parent", spawns: "child" });
    await tasks.runDue();
    await tasks.expectTask(Write).withPayload({ text: "child" }).dueIn("1m");
    await tasks.drain(Write);
    expect(diary.lines).toEqual(["parent", "child"]);
  },

  "a drain goes through what handlers make": async ({ tasks, service, diary }) => {
    await service.schedule(Write, { text: "a", spawns: "b", failures: 1 }, { delay: "1d" });
    await tasks.drain();
    expect(diary.lines).toEqual(["a", "b"]);
    await tasks.expectNoTask(Write);
  },

  "a handler that hangs ends at its time-out": async ({ tasks, service }) => {
    const { task } = await service.schedule(Write, { text: "", hangs: true }, { timeout: "1m", maxAttempts: 1 });
    const [run] = await tasks.advance("61s", { whileRunning: true });
    expect(run!.error).toBeInstanceOf(Error);
    await tasks.runDue();
    expect(await service.get(task.id)).toMatchObject({ state: "dead", attempt: 1 });
  },

  "a condition that does not hold any more skips the handler": async ({ tasks, service, diary }) => {
    const { task } = await service.schedule(Write, { text: "closed" }, { delay: "1h" });
    diary.isOpen = false;
    expect(await tasks.advance("1h")).toEqual([]);
    expect(await service.get(task.id)).toMatchObject({ state: "succeeded", reason: "SKIPPED" });
  },

  "what is cancelled never runs": async ({ tasks, service, diary }) => {
    await service.schedule(Write, { text: "no" }, { delay: "1h", key: "k" });
    expect(await service.cancelByKey(Write, "k")).toMatchObject({ outcome: "cancelled" });
    expect(await tasks.advance("2h")).toEqual([]);
    expect(diary.lines).toEqual([]);
    await tasks.expectTask(Write).withKey("k").inState("cancelled");
    await tasks.expectNoTask(Write).withKey("k");
  },

  "what is due and cancelled before the time moves never runs": async ({ tasks, service, diary }) => {
    const { task } = await service.schedule(Write, { text: "no" });
    await service.cancel(task.id);
    await tasks.runDue();
    expect(diary.lines).toEqual([]);
  },

  "a key has one live task": async ({ tasks, service }) => {
    await service.schedule(Write, { text: "first" }, { delay: "1h", key: "k" });
    await expect(service.schedule(Write, { text: "second" }, { key: "k" })).rejects.toMatchObject({
      code: "TASK_KEY_CONFLICT",
    });
    await tasks.expectTask(Write).withKey("k").withPayload({ text: "first" });
  },

  "a key is free again once its task has ended": async ({ tasks, service, diary }) => {
    await service.schedule(Write, { text: "1" }, { key: "k" });
    await tasks.runDue();
    await service.schedule(Write, { text: "2" }, { key: "k" });
    await tasks.runDue();
    expect(diary.lines).toEqual(["1", "2"]);
  },

  "a refresh moves the deadline": async ({ tasks, service, diary }) => {
    const chunk = () => service.schedule(Write, { text: "quiet" }, { delay: "5s", key: "f", onConflict: "refresh" });
    await chunk();
    await tasks.advance("3s");
    expect((await chunk()).outcome).toBe("refreshed");
    await tasks.advance("4s");
    expect(diary.lines).toEqual([]);
    await tasks.advance("1s");
    expect(diary.lines).toEqual(["quiet"]);
  },

  "a deadline moves no further than its longest wait": async ({ tasks, service, diary }) => {
    const options = { delay: "5s", key: "f", onConflict: "refresh", maxWait: "12s" } as const;
    for (let second = 0; second < 12; second += 3) {
      await service.schedule(Write, { text: "capped" }, options);
      await tasks.advance("3s");
    }
    expect(diary.lines).toEqual(["capped"]);
  },

  "a replacement takes the place of the first": async ({ tasks, service, diary }) => {
    await service.schedule(Write, { text: "old" }, { delay: "1h", key: "k" });
    await service.schedule(Write, { text: "new" }, { delay: "2h", key: "k", onConflict: "replace" });
    await tasks.drain();
    expect(diary.lines).toEqual(["new"]);
  },

  "a paused countdown stands still": async ({ tasks, service, diary }) => {
    const { task } = await service.schedule(Write, { text: "paused" }, { delay: "1h", key: "k" });
    await tasks.advance("20m");
    await service.pause(task.id);
    await tasks.advance("1d");
    await tasks.expectTask(Write).withKey("k").inState("paused");
    await service.resume(task.id);
    await tasks.expectTask(Write).withKey("k").dueIn("40m");
    await tasks.advance("40m");
    expect(diary.lines).toEqual(["paused"]);
  },

  "a task is moved": async ({ tasks, service, diary }) => {
    const { task } = await service.schedule(Write, { text: "moved" }, { delay: "1h" });
    await service.reschedule(task.id, { delay: "2h" });
    await tasks.advance("1h");
    expect(diary.lines).toEqual([]);
    await tasks.advance("1h");
    expect(diary.lines).toEqual(["moved"]);
  },

  "a task is due at once when somebody says so": async ({ tasks, service, diary }) => {
    const { task } = await service.schedule(Write, { text: "early" }, { delay: "30d" });
    await service.runNow(task.id);
    await tasks.runDue();
    expect(diary.lines).toEqual(["early"]);
  },

  "a task that nobody may start any more expires": async ({ tasks, service }) => {
    const { task } = await service.schedule("diary.nobody", {}, { delay: "1m", startDeadline: "5m" });
    await tasks.advance("1h");
    await tasks.advance("2m");
    expect(await service.get(task.id)).toMatchObject({ state: "expired" });
  },

  "a type that nothing runs waits": async ({ tasks, service }) => {
    const { task } = await service.schedule("diary.nobody", {});
    expect(await tasks.advance("1h")).toEqual([]);
    expect(await service.get(task.id)).toMatchObject({ state: "scheduled", attempt: 0 });
  },

  "a call that is made twice is done once": async ({ tasks, service, diary }) => {
    for (let call = 0; call < 2; call++) await service.schedule(Write, { text: "one" }, { idempotencyKey: "call" });
    await tasks.drain();
    expect(diary.lines).toEqual(["one"]);
  },

  "bad input is refused with every fault": async ({ service }) => {
    const bad = service.schedule("no type!", { text: "x" }, { delay: "soon" as string as Duration, priority: 12 });
    const error = await bad.catch((thrown: unknown) => thrown as TickwheelError);
    expect((error as TickwheelError).faults.map(({ path }) => path)).toEqual(["type", "delay", "priority"]);
  },

  "a step is done once over a failed attempt, and a transaction completes": async ({ tasks, service, diary }) => {
    const { task } = await service.schedule(Once, { text: "told in attempt" });
    await tasks.drain(Once);
    expect(diary.lines).toEqual(["told in attempt 1"]);
    expect(await service.get(task.id)).toMatchObject({
      state: "succeeded",
      attempt: 2,
      checkpoint: { state: { attempt: 2 } },
    });
  },

  "tags are found": async ({ tasks, service }) => {
    await service.schedule(Write, { text: "tagged" }, { delay: "1h", tags: ["order:42"] });
    const found = await tasks.expectTask(Write).withTag("order:42");
    expect(found.tags).toEqual(["order:42"]);
  },

  "a schedule that the test makes runs each time": async ({ tasks, service, diary }) => {
    await service.schedules.create({ name: "hourly", task: Write, payload: { text: "tick" }, every: "1h" });
    await tasks.advance("3h");
    expect(diary.lines).toEqual(["tick", "tick", "tick"]);
    await service.schedules.pause("hourly");
    await tasks.advance("3h");
    expect(diary.lines).toHaveLength(3);
  },

  "what an expectation misses is told with what there is": async ({ tasks, service }) => {
    await service.schedule(Write, { text: "there" }, { delay: "1h", key: "43" });
    const missed = Promise.resolve(tasks.expectTask(Write).withKey("43").dueIn("15m"));
    await expect(missed).rejects.toThrow(
      /due in 15m.*\n {2}key "43", payload \{"text":"there"\}, scheduled, due in 3600000 ms/s,
    );
    await expect(Promise.resolve(tasks.expectNoTask(Write))).rejects.toThrow("Expected no task of diary.write");
  },
};

function waits(delays: readonly string[]): typeof EXAMPLES {
  return Object.fromEntries(
    delays.map((text) => [
      `a task of ${text} runs at its instant and not a millisecond before`,
      async ({ tasks, service, diary }: Scene) => {
        const delay = Number(text) || duration(text);
        const { task } = await service.schedule(Write, { text }, { delay, key: text });
        await tasks.expectTask(Write).withKey(text).dueIn(delay);
        const dueAt = task.dueAt.getTime();
        await tasks.advanceTo(new Date(dueAt - 1));
        expect(diary.lines).toEqual([]);
        await tasks.advance(1);
        expect([diary.lines, tasks.now.getTime()]).toEqual([[text], dueAt]);
      },
    ]),
  );
}

function failures(counts: readonly number[]): typeof EXAMPLES {
  return Object.fromEntries(
    counts.map((count) => [
      `a handler that fails ${count} times ${count < 3 ? "succeeds then" : "is dead"}`,
      async ({ tasks, service, diary }: Scene) => {
        const { task } = await service.schedule(Write, { text: "at last", failures: count });
        const runs = await tasks.drain(Write);
        expect(runs.map(({ error }) => error !== undefined)).toEqual(
          [1, 2, 3].slice(0, count + 1).map((n) => n <= count),
        );
        expect(diary.lines).toEqual(count < 3 ? ["at last"] : []);
        expect((await service.get(task.id))!.state).toBe(count < 3 ? "succeeded" : "dead");
      },
    ]),
  );
}

function merges(counts: readonly number[]): typeof EXAMPLES {
  return Object.fromEntries(
    counts.map((count) => [
      `${count} chunks are gathered into one task`,
      async ({ tasks, service, diary }: Scene) => {
        const merge = { bytes: "add", names: "append" } as const;
        for (let chunk = 1; chunk <= count; chunk++)
          await service.schedule(
            Gather,
            { bytes: 10, names: [`c${chunk}`] },
            { key: "file", delay: "5s", onConflict: "merge", merge },
          );
        await tasks
          .expectTask(Gather)
          .withKey("file")
          .withPayload({ bytes: 10 * count })
          .dueIn("5s");
        await tasks.advance("5s");
        const names = Array.from({ length: count }, (_, at) => `c${at + 1}`).join("+");
        expect(diary.lines).toEqual([`${10 * count} ${names}`]);
      },
    ]),
  );
}
