import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import type { DelayTaskService, DurationInput, TaskView } from "@tickwheel/nestjs";
import { openTasks } from "../support/app/task-application.js";
import { startForSpec } from "../support/start-for-spec.js";

let tasks: DelayTaskService;

startForSpec(
  () => openTasks({ engine: false, webhookAllowedHosts: ["example.com"] }),
  (its) => ({ tasks } = its),
);

const LATER = { delay: "1h" } as const;
const stored = async (id: string): Promise<TaskView> => (await tasks.get(id))!;
const codeOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "taken",
    (error: unknown) => (error instanceof TickwheelError ? error.code : error),
  );

describe("a payload is the value that it has at the call", () => {
  test("five calls without `await` that change one object store its value at each call", async () => {
    const payload = { n: 0, list: [] as number[] };
    const calls: ReturnType<DelayTaskService["schedule"]>[] = [];
    for (payload.n = 1; payload.n <= 5; payload.n++) {
      payload.list.push(payload.n);
      calls.push(tasks.schedule("count", payload, LATER));
    }
    const answers = (await Promise.all(calls)).map(({ task }) => task);
    const rows = await Promise.all(answers.map(({ id }) => stored(id)));
    const expected = [1, 2, 3, 4, 5].map((n) => ({ n, list: Array.from({ length: n }, (_, index) => index + 1) }));
    expect(rows.map((task) => task.payload)).toEqual(expected);
    expect(answers.map((task) => task.payload)).toEqual(expected);
  });

  test("a payload that grows after its check is stored as it was checked, by every kind of call", async () => {
    const large = "x".repeat(1_000_000);
    const payload = { text: "small" };
    const { task: other } = await tasks.schedule("grow", null, LATER);
    const calls = [
      tasks.schedule("grow", payload, LATER).then(({ task }) => task.id),
      tasks.schedule("grow", payload, { ...LATER, key: "k" }).then(({ task }) => task.id),
      tasks.schedule("grow", payload, { ...LATER, idempotencyKey: "i" }).then(({ task }) => task.id),
      tasks.scheduleMany([{ task: "grow", payload, ...LATER }]).then(([item]) => (item as { task: TaskView }).task.id),
      tasks.reschedule(other.id, { payload }).then(({ id }) => id),
    ];
    payload.text = large;
    const rows = await Promise.all((await Promise.all(calls)).map(stored));
    expect(rows.map((task) => task.payload)).toEqual(calls.map(() => ({ text: "small" })));
  });

  test("options that change after the call change nothing", async () => {
    const backoff = { kind: "fixed" as const, delay: 1_000 };
    const headers: Record<string, string> = { "x-a": "1" };
    const deliver = { kind: "webhook" as const, url: "https://example.com/", headers };
    const options = { delay: 3_600_000 as DurationInput, priority: 3, backoff, key: "early" };
    const delivery = tasks.schedule("hook", 1, { ...LATER, deliver });
    const call = tasks.schedule("options", 1, options);
    Object.assign(options, { delay: 1, priority: 9, key: "late" });
    backoff.delay = 5;
    headers["x-a"] = "bad\n";
    const { task } = await call;
    expect(task).toMatchObject({ priority: 3, key: "early" });
    expect(task.dueAt.getTime() - task.createdAt.getTime()).toBe(3_600_000);
    expect((await stored((await delivery).task.id)).deliver).toMatchObject({ headers: { "x-a": "1" } });
  });

  test("items of a bulk that change after the call are written as they were at the call", async () => {
    const item = () => ({
      task: "many",
      payload: { text: "small" },
      scheduledAt: new Date(Date.now() + 3_600_000),
      backoff: { kind: "fixed" as "fixed" | "never", delay: 1_000 },
      deliver: { kind: "webhook" as const, url: "https://example.com/", headers: { "x-a": "1" } },
    });
    const items = Array.from({ length: 1_000 }, item);
    const at = items.map(({ scheduledAt }) => scheduledAt.toISOString());
    const call = tasks.scheduleMany(items as never[]);
    for (const { payload, scheduledAt, backoff, deliver } of items) {
      payload.text = "x".repeat(100_000);
      scheduledAt.setTime(Number.NaN);
      backoff.kind = "never";
      deliver.headers["x-a"] = "bad\n";
    }
    const written = (await call) as { status: string; task: TaskView }[];
    expect(new Set(written.map(({ status }) => status))).toEqual(new Set(["created"]));
    expect(written.map(({ task }) => task.scheduledAt?.toISOString())).toEqual(at);
    expect(new Set(written.map(({ task }) => JSON.stringify(task.payload)))).toEqual(new Set(['{"text":"small"}']));
  });

  test("the answer's payload is the caller's own: changes to it have no effect elsewhere", async () => {
    const payload = { a: { b: 1 } };
    const { task } = await tasks.schedule("own", payload, LATER);
    expect(task.payload).toEqual(payload);
    expect(task.payload).not.toBe(payload);
  });

  const throws = {
    get a(): never {
      throw new RangeError("no");
    },
  };
  test.each<[string, unknown]>([
    ["a getter that throws", throws],
    ["a toJSON that throws", { toJSON: () => throws.a }],
    ["a BigInt", 1n],
    ["a proxy that throws", new Proxy({}, { ownKeys: () => throws.a })],
  ])("%s as a payload is bad input by each way in, and stops no other item", async (_name, payload) => {
    const { task } = await tasks.schedule("hostile", null, LATER);
    expect(await codeOf(tasks.schedule("hostile", payload as object))).toBe("VALIDATION_FAILED");
    expect(await codeOf(tasks.reschedule(task.id, { payload: payload as object }))).toBe("VALIDATION_FAILED");
    const items = await tasks.scheduleMany([
      { task: "hostile", payload: payload as object, ...LATER },
      { task: "hostile", payload: 1, ...LATER },
    ]);
    expect(items.map(({ status }) => status)).toEqual(["rejected", "created"]);
    expect(items[0]).toMatchObject({ error: { code: "VALIDATION_FAILED", errors: [{ path: "tasks[0].payload" }] } });
  });

  test("options that cannot be read are bad input by every kind of call", async () => {
    const options = {
      get delay(): never {
        throw new RangeError("no");
      },
    };
    expect(await codeOf(tasks.schedule("hostile", 1, options))).toBe("VALIDATION_FAILED");
    expect(await codeOf(tasks.reschedule("019ab000-0000-7000-8000-000000000000", options))).toBe("VALIDATION_FAILED");
    const item = Object.defineProperty({ task: "hostile", payload: 1 }, "delay", {
      enumerable: true,
      get: () => throws.a,
    });
    const items = await tasks.scheduleMany([item, { task: "hostile", payload: 1, ...LATER }]);
    expect(items.map(({ status }) => status)).toEqual(["rejected", "created"]);
  });
});
