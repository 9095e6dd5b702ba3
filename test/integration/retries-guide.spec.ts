import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { INestApplication, Type } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule, type DelayTaskService, type TaskDefinition } from "@tickwheel/nestjs";
import { checkSchedule } from "@tickwheel/schedules";
import type { ApiClient, Problem } from "../support/api-client.js";
import { hostApi } from "../support/app/hosted-api.js";
import { PastedGuide } from "../support/app/pasted-guide.js";
import { ScriptedService } from "../support/app/scripted-service.js";
import { eventually } from "../support/eventually.js";
import { repositoryRoot } from "../support/node-process.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const GUIDE = "docs/guides/retries.md";
const guide = new PastedGuide(GUIDE);
const text = readFileSync(join(repositoryRoot, GUIDE), "utf8");
const given: Record<string, unknown> = {};
let postgres: TestPostgres;
let receiver: ScriptedService;
let app: INestApplication;
let tasks: DelayTaskService;
let api: ApiClient;

beforeAll(async () => {
  [postgres, receiver] = await Promise.all([startTestPostgres(), ScriptedService.start()]);
  for (const file of ["src/notifications.ts", "src/parcels.ts", "src/reminders.ts", "src/mails.ts", "src/refunds.ts"])
    Object.assign(given, await guide.load<Record<string, unknown>>(file));
  const modules = Object.keys(given).flatMap((name) => (name.endsWith("Module") ? [given[name] as Type] : []));
  const hosts = [new URL(receiver.url).host];
  const options = { url: postgres.url, heartbeat: "loop", webhookAllowedHosts: hosts, minBackoffMs: 1 } as const;
  const imports = [...modules, DelayTaskApiModule.forRoot({ notice: false }), DelayTaskModule.forRoot(options)];
  ({ app, tasks, api } = await hostApi({ imports }));
});
afterAll(async () => {
  await app?.close();
  await receiver?.stop();
  await postgres?.stop();
  guide.remove();
});

const taskOf = (name: string) => given[name] as TaskDefinition<object>;
const the = <T>(name: string): T => app.get<T>(given[name] as Type, { strict: false });
const reasons = async (id: string): Promise<(string | null)[]> =>
  (await tasks.journal(id))!.items.map(({ reason }) => reason);

test("the blocks of the guide to retries compile", async () => {
  expect(await guide.compile()).toBe("");
});

test("a notification is sent along the ladder until the answer is success", async () => {
  const answers = ["fail", " success\n"];
  receiver.answer = (_request, response) => void response.end(answers.shift());
  const { task } = await tasks.schedule(taskOf("NotifyPaid"), { orderId: "42", url: receiver.url }, {});
  expect(task.maxAttempts).toBe(8);
  await eventually(async () => expect(await tasks.get(task.id)).toMatchObject({ state: "scheduled", attempt: 1 }));
  const { dueAt, lastError } = (await tasks.get(task.id))!;
  const failedAt = (await tasks.journal(task.id))!.items.at(-1)!.at.getTime();
  expect([dueAt.getTime() - failedAt, lastError]).toEqual([240_000, expect.stringContaining('no success: "fail"')]);
  await tasks.runNow(task.id);
  await eventually(async () => expect(await tasks.get(task.id)).toMatchObject({ state: "succeeded", attempt: 2 }));
});

test("a parcel that cannot be shipped yet is put off, and no attempt is used up", async () => {
  const stock = the<{ arrived: Set<string>; shipped: string[] }>("Stock");
  const { task } = await tasks.schedule(taskOf("ShipParcel"), { orderId: "7" }, { maxAttempts: 1 });
  await eventually(async () => expect(await reasons(task.id)).toContain("SNOOZED"));
  stock.arrived.add("7");
  await eventually(() => expect(stock.shipped).toEqual(["7"]));
  await eventually(async () => expect(await tasks.get(task.id)).toMatchObject({ state: "succeeded", attempt: 1 }));
});

test("mails rest while their provider fails, and go on when the breaker is closed by hand", async () => {
  receiver.answer = (_request, response) => void response.writeHead(500).end();
  const SendMail = taskOf("SendMail") as TaskDefinition<object>;
  const many = Array.from({ length: 12 }, () => ({ task: SendMail, payload: { url: receiver.url }, maxAttempts: 100 }));
  await tasks.scheduleMany(many);
  await eventually(async () =>
    expect((await tasks.types.standing("mail.send")).breaker).toMatchObject({ state: "OPEN" }),
  );
  receiver.answer = (_request, response) => void response.end();
  await tasks.types.closeBreaker("mail.send");
  await eventually(async () => {
    const { items: found } = await tasks.find({ type: "mail.send" });
    expect(found.map(({ state }) => state)).toEqual(many.map(() => "succeeded"));
  });
  expect((await tasks.types.standing("mail.send")).breaker).toBeNull();
});

test("a reminder of an order that is paid is skipped, at a retry too, and told apart in counts and the journal", async () => {
  const orders = the<{ unpaid: Set<string>; reminded: string[] }>("Orders");
  orders.unpaid.add("8");
  const remind = async (orderId: string, key?: string) =>
    (await tasks.schedule(taskOf("RemindToPay"), { orderId }, { key })).task.id;
  const wanted = await remind("8");
  const paid = await remind("9", "order 9");
  const skipped = { state: "succeeded", reason: "SKIPPED", result: null, attempt: 1, priority: 3 };
  await eventually(async () => {
    expect(await tasks.get(wanted)).toMatchObject({ state: "succeeded", reason: null });
    expect((await api.get(`v1/tasks/${paid}`)).body).toMatchObject(skipped);
  });
  expect(orders.reminded).toEqual(["8"]);
  expect((await reasons(paid)).at(-1)).toBe("SKIPPED");
  await tasks.retry(wanted);
  await eventually(() => expect(orders.reminded).toEqual(["8", "8"]));
  await eventually(async () => expect(await tasks.get(wanted)).toMatchObject({ state: "succeeded" }));
  orders.unpaid.delete("8");
  await tasks.retry(wanted);
  await eventually(async () => expect(await tasks.get(wanted)).toMatchObject({ reason: "SKIPPED" }));
  const page = await api.post<{ data: unknown }>("graphql", { query: `{ task(id: "${paid}") { state reason } }` });
  expect(page.body.data).toEqual({ task: { state: "succeeded", reason: "SKIPPED" } });
  interface Counted {
    type: string;
    succeeded: number;
    skipped: number;
  }
  await eventually(async () => {
    const { body } = await api.get<{ items: Counted[] }>("v1/types");
    const { succeeded, skipped: count } = body.items.find(({ type }) => type === "order.remind")!;
    // Both retries of the wanted one were taken out again, with what they had counted.
    expect([succeeded, count]).toEqual([2, 2]);
    const stats = await api.get<{ lastMinute: Counted }>("v1/stats");
    expect(stats.body.lastMinute.skipped).toBe(2);
    const history = await api.get<{ buckets: Counted[] }>("v1/stats/history?range=1h&type=order.remind");
    expect(history.body.buckets.reduce((sum, bucket) => sum + bucket.skipped, 0)).toBe(2);
  });
});

test("a condition that throws is a failed attempt, and the handler is not called", async () => {
  const orders = the<{ unpaid: { has(): boolean }; reminded: string[] }>("Orders");
  const { unpaid, reminded } = orders;
  Object.assign(orders, {
    unpaid: {
      has: () => {
        throw new Error("no answer of the till");
      },
    },
  });
  const { task } = await tasks.schedule(taskOf("RemindToPay"), { orderId: "10" }, { maxAttempts: 1 });
  const lastError = expect.stringContaining("no answer of the till");
  await eventually(async () =>
    expect(await tasks.get(task.id)).toMatchObject({ state: "dead", reason: "ATTEMPTS", lastError }),
  );
  Object.assign(orders, { unpaid });
  expect(reminded).not.toContain("10");
});

test("a checkpoint is kept over the attempts and a retry by hand, and a wait between two of them can be paused", async () => {
  const till = the<{ open: boolean; refunded: string[] }>("Till");
  const backoff = { kind: "fixed", delay: "1h" } as const;
  const { task } = await tasks.schedule(taskOf("RefundOrder"), { orderId: "11" }, { backoff });
  const state = async (expected: object): Promise<void> =>
    eventually(async () => expect(await tasks.get(task.id)).toMatchObject(expected));
  await state({ state: "scheduled", attempt: 1, checkpoint: { state: { asked: 1 } } });
  const paused = await tasks.pause(task.id);
  expect(paused).toMatchObject({ state: "paused", attempt: 1, remainingMs: expect.any(Number) });
  await tasks.resume(task.id);
  await tasks.runNow(task.id);
  await state({ state: "dead", reason: "ATTEMPTS", attempt: 2, checkpoint: { state: { asked: 2 } } });
  till.open = true;
  await tasks.retry(task.id);
  await state({ state: "succeeded", attempt: 1, result: "asked 3 times" });
  expect(till.refunded).toEqual(["11"]);
});

test("a webhook must be answered with the body that means success", async () => {
  const answers = ["fail", "success"];
  receiver.answer = (_request, response) => void response.end(answers.shift());
  const deliver = { kind: "webhook", url: receiver.url, expectBody: "success" };
  const made = await api.post<{ id: string }>("v1/tasks", {
    type: "payment.webhook",
    payload: { orderId: "42" },
    deliver,
    backoff: { kind: "ladder", delays: ["10ms"] },
  });
  expect(made).toMatchObject({ status: 201, body: { deliver, maxAttempts: 2 } });
  await eventually(async () =>
    expect(await api.get(`v1/tasks/${made.body.id}`)).toMatchObject({ body: { state: "succeeded", attempt: 2 } }),
  );
});

test("the backoffs of the guide's table are taken over REST, in GraphQL, by schedules and in code", async () => {
  const [, table] = /^\| `backoff`.*?\n\|.*?\n(.*?)\n\n/ms.exec(text)!;
  const named = [...table!.matchAll(/^\| (`.+?`|absent or `null`) +\|/gm)].map(([, cell]) => cell!);
  expect(named).toHaveLength(6);
  const backoffs = named.map((cell) =>
    cell.startsWith("absent")
      ? null
      : (JSON.parse(cell.slice(1, -1).replaceAll(/(\w+): /g, '"$1": ')) as { kind: string } | string),
  );
  const delay = "1d";
  for (const backoff of backoffs) {
    const { status } = await api.post("v1/tasks", { type: "any", delay, backoff });
    expect([backoff, status]).toEqual([backoff, 201]);
    await tasks.schedule("any", {}, { delay, backoff: backoff as never });
    const schedule = { type: "any", every: "1d", backoff, name: `s${backoffs.indexOf(backoff)}` };
    expect((await api.post("v1/schedules", schedule)).status).toBe(201);
  }
  expect(checkSchedule({ every: "1d" }, { id: "x", createdAt: 0, now: 0 }).faults).toEqual([]);
  const query = `mutation { scheduleTask(input: { type: "any", delay: "1d", backoff: { kind: alipay } }) { task { maxAttempts } } }`;
  expect((await api.post<unknown>("graphql", { query })).body).toEqual({
    data: { scheduleTask: { task: { maxAttempts: 8 } } },
  });
});

test("bad backoffs are refused, each fault at its place", async () => {
  const faultsOf = async (backoff: unknown): Promise<Problem["errors"]> =>
    (await api.post<Problem>("v1/tasks", { type: "any", backoff })).body.errors;
  const list = "must be a list of 1 to 100 durations";
  const kinds = "must be one of fixed, exponential, ladder, alipay, rocketmq";
  expect(await faultsOf({ kind: "ladder" })).toEqual([{ path: "backoff.delays", message: list }]);
  expect(await faultsOf({ kind: "ladder", delays: [] })).toEqual([{ path: "backoff.delays", message: list }]);
  expect((await faultsOf({ kind: "ladder", delays: ["1s", -1, "soon"] }))!.map(({ path }) => path)).toEqual([
    "backoff.delays.1",
    "backoff.delays.2",
  ]);
  expect(await faultsOf("wechat")).toEqual([{ path: "backoff.kind", message: kinds }]);
  expect((await faultsOf(7))!.map(({ path }) => path)).toEqual(["backoff"]);
  const deliver = { kind: "webhook", url: receiver.url, expectBody: "" };
  expect((await api.post<Problem>("v1/tasks", { type: "w", deliver })).body.errors).toEqual([
    { path: "deliver.expectBody", message: "must be a string of 1 to 256 characters" },
  ]);
});
