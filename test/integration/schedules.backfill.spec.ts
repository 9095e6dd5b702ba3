import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplication, Injectable } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import {
  type BackfillFields,
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  type DelayTaskService,
  defineTask,
} from "@tickwheel/nestjs";
import { Client } from "pg";
import type { ApiClient, Problem } from "../support/api-client.js";
import { hostApi } from "../support/app/hosted-api.js";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

const DAY = 86_400_000;
const Settle = defineTask<{ shop: number }>("settle", { maxAttempts: 1 });

let postgres: OwnPostgres;
let app: INestApplication;
let tasks: DelayTaskService;
let api: ApiClient;
let observer: Client;
/** The instants that ran, in the order of their starts. */
let ran: number[] = [];
let ranOf: Record<string, number[]> = {};
let hold: Promise<void> = Promise.resolve();
let letGo = (): void => undefined;

@Injectable()
class Settlement {
  @DelayTaskHandler(Settle)
  async settle(_task: DelayTask<{ shop: number }>, { occurrenceAt, schedule }: DelayTaskContext): Promise<void> {
    ran.push(occurrenceAt!.getTime());
    (ranOf[schedule!] ??= []).push(occurrenceAt!.getTime());
    await hold;
  }
}

async function open(): Promise<void> {
  ({ app, tasks, api } = await hostApi({
    providers: [Settlement],
    imports: [
      DelayTaskApiModule.forRoot({ notice: false }),
      DelayTaskModule.forRoot({
        url: postgres.url,
        heartbeat: "loop",
        scheduleBackfillLimit: 40,
        scheduleMisfireLimit: 200,
      }),
    ],
  }));
}

/** What the handler does from now on waits for {@link letGo}. */
function holdRuns(): void {
  hold = new Promise((resolve) => (letGo = resolve));
}

beforeAll(async () => {
  postgres = await OwnPostgres.start({ settings: { fsync: false } });
  await open();
  observer = new Client({ connectionString: postgres.url });
  await observer.connect();
});
afterEach(async () => {
  letGo();
  hold = Promise.resolve();
  for (const { name } of (await tasks.schedules.list()).items) await tasks.schedules.remove(name);
  await eventually(async () => expect((await tasks.find(Settle, { live: true })).items).toEqual([]));
  ran = [];
  ranOf = {};
});
afterAll(async () => {
  await observer.end();
  await app.close();
  await postgres.stop();
});

/** The last midnights in UTC, rising. */
function midnights(count: number): number[] {
  const today = Math.floor(Date.now() / DAY) * DAY;
  return Array.from({ length: count }, (_, index) => today - (count - 1 - index) * DAY);
}
const rangeOf = (instants: number[]) => ({ from: new Date(instants[0]!), to: new Date(instants.at(-1)! + 1) });
const daily = { name: "daily", task: Settle, payload: { shop: 7 }, cron: "0 0 * * *" } as const;
const progress = async () => (await tasks.schedules.get("daily"))!.backfill;

describe("a backfill", () => {
  test("a backfill runs the instants of a range one after the other, the oldest first, behind all other tasks, and once", async () => {
    await tasks.schedules.create(daily);
    const days = midnights(4);
    const dry = await tasks.schedules.backfill("daily", { ...rangeOf(days), dryRun: true });
    const ready = { fate: "ready", skipped: "BEFORE_CREATION" };
    const instants = days.map((day) => ({ at: new Date(day), ...ready }));
    expect(dry).toEqual({ dryRun: true, count: 4, more: false, instants });
    expect(await progress()).toBeNull();

    holdRuns();
    expect(await tasks.schedules.backfill("daily", rangeOf(days))).toEqual({ ...dry, dryRun: false });
    await eventually(() => expect(ran).toEqual([days[0]]));
    expect(await progress()).toMatchObject({ ...rangeOf(days), count: 4, left: 3, by: "application" });
    const [task] = (await tasks.find(Settle, { states: ["running"] })).items;
    expect(task).toMatchObject({ priority: 9, payload: { shop: 7 } });
    await expect(tasks.schedules.backfill("daily", rangeOf(days))).rejects.toMatchObject({
      code: "TASK_STATE_CONFLICT",
      message: expect.stringContaining("3 of its 4 runs wait"),
    });
    letGo();
    await eventually(async () => expect([ran, await progress()]).toEqual([days, null]));

    const again = await tasks.schedules.backfill("daily", rangeOf(days));
    expect([again.count, again.instants.map(({ fate }) => fate)]).toEqual([0, days.map(() => "ran")]);
    const { items } = await tasks.schedules.runs("daily");
    expect(items.filter(({ kind }) => kind === "backfill")).toMatchObject(
      days.toReversed().map((day) => ({ at: new Date(day), missed: 0, outcome: "succeeded" })),
    );
    expect(await tasks.schedules.get("daily")).toMatchObject({ state: "active", nextAt: expect.any(Date) });
  });

  test("a backfill goes on where it was when all nodes were gone, and while its schedule is paused", async () => {
    await tasks.schedules.create(daily);
    await tasks.schedules.pause("daily");
    const days = midnights(5);
    holdRuns();
    await tasks.schedules.backfill("daily", rangeOf(days));
    await eventually(() => expect(ran).toHaveLength(1));
    const closing = app.close();
    letGo();
    await closing;
    await open();
    await eventually(async () => expect([ran, await progress()]).toEqual([days, null]));
    expect(await tasks.schedules.get("daily")).toMatchObject({ state: "paused" });
  });

  test("a backfill ends by hand: the run that executes goes on, the others never start and may be asked for again", async () => {
    await tasks.schedules.create(daily);
    const days = midnights(3);
    holdRuns();
    await tasks.schedules.backfill("daily", rangeOf(days));
    await eventually(() => expect(ran).toHaveLength(1));
    expect((await tasks.schedules.cancelBackfill("daily")).backfill).toBeNull();
    const { instants } = await tasks.schedules.backfill("daily", { ...rangeOf(days), dryRun: true });
    expect(instants.map(({ fate }) => fate)).toEqual(["ran", "ready", "ready"]);
    letGo();
    hold = Promise.resolve();
    await eventually(async () => expect((await tasks.find(Settle, { states: ["running"] })).items).toEqual([]));
    expect((await tasks.schedules.backfill("daily", rangeOf(days))).count).toBe(2);
    await eventually(() => expect(ran).toEqual(days));
    await expect(tasks.schedules.cancelBackfill("none")).rejects.toMatchObject({ code: "SCHEDULE_NOT_FOUND" });
  });

  test("a backfill ends with its schedule", async () => {
    await tasks.schedules.create(daily);
    holdRuns();
    await tasks.schedules.backfill("daily", rangeOf(midnights(3)));
    await eventually(() => expect(ran).toHaveLength(1));
    await tasks.schedules.remove("daily");
    letGo();
    await eventually(async () => expect((await tasks.find(Settle, { live: true })).items).toEqual([]));
    // Each run of another one is planned after a look at all that wait.
    await tasks.schedules.create({ ...daily, name: "other" });
    const others = midnights(3);
    await tasks.schedules.backfill("other", rangeOf(others));
    await eventually(() => expect(ran.slice(1)).toEqual(others));
    await eventually(async () =>
      expect((await tasks.find(Settle, { live: true, states: ["running"] })).items).toEqual([]),
    );
    expect(ran).toHaveLength(4);
  });

  test("a backfill runs what older runs leave in doubt only if it is told to", async () => {
    await tasks.schedules.create({ ...daily, misfire: "skip" });
    await observer.query("UPDATE tickwheel.schedule SET created_at = created_at - interval '30 days', last_seq = 101");
    const days = midnights(2);
    const inDoubt = await tasks.schedules.backfill("daily", rangeOf(days));
    expect([inDoubt.count, inDoubt.instants.map(({ fate }) => fate)]).toEqual([0, ["unknown", "unknown"]]);
    expect((await tasks.schedules.backfill("daily", { ...rangeOf(days), includeUnknown: true })).count).toBe(2);
    await eventually(() => expect(ran).toEqual(days));
  });
});

describe("two who change a schedule at once", () => {
  /** Holds the rows of the schedules until all calls wait for them, in this order, and this has come true too. */
  async function whileLocked(
    calls: (() => Promise<unknown>)[],
    until: () => void = () => undefined,
  ): Promise<PromiseSettledResult<unknown>[]> {
    await observer.query("BEGIN");
    await observer.query("SELECT FROM tickwheel.schedule FOR UPDATE");
    const made: Promise<unknown>[] = [];
    for (const call of calls) {
      made.push(call());
      await eventually(async () => expect(await waiting()).toBeGreaterThanOrEqual(made.length));
    }
    await eventually(until);
    await observer.query("COMMIT");
    return Promise.allSettled(made);
  }

  /** How many wait for a lock; the planner may be one of them. */
  async function waiting(): Promise<number> {
    const sql = "SELECT count(DISTINCT pid)::int AS count FROM pg_locks WHERE NOT granted";
    return (await observer.query<{ count: number }>(sql)).rows[0]!.count;
  }

  test("one of two backfills of a schedule at once goes on, and the other is refused", async () => {
    await tasks.schedules.create(daily);
    const days = midnights(3);
    const start = () => tasks.schedules.backfill("daily", rangeOf(days));
    const outcomes = await whileLocked([start, start]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const refused = outcomes.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: "TASK_STATE_CONFLICT" });
    await eventually(async () => expect([ran, await progress()]).toEqual([days, null]));
  });

  test("a backfill and the planner run each instant once between them", async () => {
    const anchor = Math.floor(Date.now() / 1_000) * 1_000 - 5_000;
    const names = ["one", "two"];
    const fast = { task: Settle, payload: { shop: 1 }, every: "1s", anchor: new Date(anchor), misfire: "all" } as const;
    for (const name of names) await tasks.schedules.create({ name, ...fast });
    await eventually(() => expect(names.map((name) => ranOf[name]?.length)).not.toContain(undefined));
    for (const name of names) await tasks.schedules.pause(name);
    await nextInstant();
    for (const name of names) await tasks.schedules.resume(name);
    for (let round = 0; round < 2; round++) {
      const range = () => ({ from: new Date(anchor), to: new Date() });
      const backfills = names.map((name) => () => tasks.schedules.backfill(name, range()));
      for (const done of await whileLocked(backfills, instantPasses()))
        if (done.status === "rejected") expect(done.reason).toMatchObject({ code: "TASK_STATE_CONFLICT" });
    }
    for (const name of names) {
      await eventually(async () => expect((await tasks.schedules.get(name))!.backfill).toBeNull());
      await tasks.schedules.pause(name);
      const seconds = ranOf[name]!.map((at) => (at - anchor) / 1_000).toSorted((one, other) => one - other);
      expect(seconds).toEqual(seconds.map((_, index) => index));
      expect(seconds.length).toBeGreaterThan(6);
    }
  });

  /** Holds when the next second has begun, and what has an instant there is due. */
  function instantPasses(): () => void {
    const instant = Math.floor(Date.now() / 1_000) * 1_000 + 1_100;
    return () => expect(Date.now()).toBeGreaterThan(instant);
  }
  const nextInstant = (): Promise<void> => eventually(instantPasses());

  test("a backfill of a definition that was changed meanwhile does not start", async () => {
    await tasks.schedules.create(daily);
    const days = midnights(3);
    const edit = () => tasks.schedules.put({ ...daily, cron: "30 0 * * *" });
    const backfill = () => tasks.schedules.backfill("daily", rangeOf(days));
    const [edited, started] = await whileLocked([edit, backfill]);
    expect(edited!.status).toBe("fulfilled");
    expect(started).toMatchObject({ status: "rejected", reason: { code: "VERSION_MISMATCH" } });
    expect(ran).toEqual([]);
  });
});

describe("a backfill over the wire", () => {
  const path = "v1/schedules/daily/backfill";

  test("a backfill is asked for, told and ended over REST", async () => {
    await tasks.schedules.create(daily);
    const days = midnights(3);
    const range = { from: new Date(days[0]!).toISOString(), to: new Date(days.at(-1)! + 1).toISOString() };
    holdRuns();
    const dry = await api.post<BackfillFields<string>>(path, { ...range, dryRun: true });
    expect([dry.status, dry.body.count, dry.body.instants[0]!.at]).toEqual([200, 3, range.from]);
    expect(await api.post(path, range)).toMatchObject({ status: 202, body: { ...dry.body, dryRun: false } });
    expect(await api.post(path, range)).toMatchObject({ status: 409, body: { code: "TASK_STATE_CONFLICT" } });
    await eventually(async () =>
      expect(await api.get("v1/schedules/daily")).toMatchObject({ body: { backfill: { count: 3, left: 2 } } }),
    );
    expect(await api.send("DELETE", path, {})).toMatchObject({ status: 200, body: { backfill: null } });
    expect(await api.post("v1/schedules/none/backfill", range)).toMatchObject({ status: 404 });
  });

  test("a backfill over the wire tells every fault of its range", async () => {
    await tasks.schedules.create(daily);
    await tasks.schedules.create({ name: "after", task: Settle, payload: { shop: 1 }, after: "1h" });
    const faults = async (name: string, body: object): Promise<Problem["errors"]> =>
      (await api.post<Problem>(`v1/schedules/${name}/backfill`, body)).body.errors;
    const past = "2026-01-01T00:00:00Z";
    const future = "2999-01-01T00:00:00Z";
    expect((await faults("daily", { from: "x", dryRun: 1, to: null }))!.map(({ path: at }) => at).toSorted()).toEqual([
      "dryRun",
      "from",
      "to",
    ]);
    expect(await faults("after", { from: past, to: future })).toEqual([
      { path: "", message: expect.stringContaining("fixed delay") },
      { path: "to", message: "must not lie in the future" },
    ]);
    expect(await faults("daily", { from: past, to: past })).toEqual([
      { path: "to", message: "must be later than from" },
    ]);
    const long = { from: "2020-01-01T00:00:00Z", to: "2020-03-01T00:00:00Z" };
    expect(await faults("daily", long)).toEqual([
      { path: "to", message: "leaves more than 40 instants: take a shorter range" },
    ]);
    const { body } = await api.post<BackfillFields<string>>("v1/schedules/daily/backfill", { ...long, dryRun: true });
    expect([body.count, body.more]).toEqual([40, true]);
    const many = { ...daily, misfire: "all", limit: 201 } as const;
    await expect(tasks.schedules.put(many)).rejects.toMatchObject({
      faults: [{ path: "limit", message: "must be at most 200" }],
    });
  });

  test("a backfill is asked for over GraphQL", async () => {
    await tasks.schedules.create(daily);
    const [day] = midnights(1);
    const from = new Date(day!).toISOString();
    const to = new Date(day! + 1).toISOString();
    const fields = "{ dryRun count more instants { at fate skipped } }";
    const ask = async (query: string): Promise<unknown> => (await api.post<unknown>("graphql", { query })).body;
    const instants = [{ at: from, fate: "ready", skipped: "BEFORE_CREATION" }];
    const call = (dryRun: boolean) =>
      ask(`mutation { backfillSchedule(name: "daily", from: "${from}", to: "${to}", dryRun: ${dryRun}) ${fields} }`);
    const told = { count: 1, more: false, instants };
    expect(await call(true)).toEqual({ data: { backfillSchedule: { dryRun: true, ...told } } });
    expect(await call(false)).toEqual({ data: { backfillSchedule: { dryRun: false, ...told } } });
    await eventually(() => expect(ran).toEqual([day]));
    expect(await ask(`mutation { cancelBackfill(name: "daily") { name backfill { left } } }`)).toEqual({
      data: { cancelBackfill: { name: "daily", backfill: null } },
    });
  });
});
