import { randomUUID } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import {
  type Duration,
  type DelayTask,
  DelayTaskHandler,
  type DelayTaskService,
  defineTask,
  type MemberResult,
} from "@tickwheel/nestjs";
import type { DataSource } from "typeorm";
import { hostTasks } from "../support/app/task-application.js";
import { eventually } from "../support/eventually.js";
import { startForSpec } from "../support/start-for-spec.js";

const SettleShop = defineTask<{ shop: number }>("settle.shop");
const ReportDay = defineTask<{ batch: string }>("settle.report");
const BookDay = defineTask<{ day: string }>("settle.book");
const LATER = { delay: "1h" } as const;
const NO_BATCH = "019ab000-0000-7000-8000-000000000000";

let dataSource: DataSource;
let tasks: DelayTaskService;

/** What reports have read, by the name of their batch. */
const reports = new Map<string, MemberResult<{ cents: number }>[][]>();

@Injectable()
class Handlers {
  @DelayTaskHandler(SettleShop)
  settle({ payload }: DelayTask<{ shop: number }>): { cents: number } {
    return { cents: payload.shop * 100 };
  }

  @DelayTaskHandler(ReportDay)
  async report({ payload: { batch: name } }: DelayTask<{ batch: string }>): Promise<void> {
    const batch = (await tasks.batches.getByName(name))!;
    const read = await tasks.batches.results<{ cents: number }>(batch.id);
    reports.set(name, [...(reports.get(name) ?? []), read]);
  }

  @DelayTaskHandler(BookDay)
  book(): void {}
}

startForSpec(
  () => hostTasks(Handlers),
  (its) => ({ tasks, dataSource } = its),
);

const shop = (number: number) => ({ task: SettleShop, payload: { shop: number } });
/** By their numbers: members of one instant are in no order. */
const shopsOf = (members: readonly { payload: unknown }[]): number[] =>
  members.map(({ payload }) => (payload as { shop: number }).shop).toSorted((a, b) => a - b);
const nameOf = (test: string): string => `${test}:${randomUUID()}`;

describe("a batch in code", () => {
  test("a batch in code has a deadline of at most 100 years from now; one that has passed is looked at once", async () => {
    const years = (count: number): Date => new Date(Date.now() + count * 365.25 * 86_400_000);
    const far = tasks.batches.create({ deadline: years(100.01) });
    await expect(far).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      faults: [{ path: "deadline", message: "must be at most 100 years from now" }],
    });
    await tasks.batches.create({ deadline: years(99.99) });
    const { id } = await tasks.batches.create({ tasks: [{ ...shop(1), ...LATER }], deadline: years(-1) });
    await eventually(async () => {
      expect(await tasks.batches.get(id)).toMatchObject({ overdue: true, leftovers: { count: 1 } });
    });
  });

  test("a batch that is not there is named where members are added; a list of no states is of any", async () => {
    const added = tasks.batches.add(NO_BATCH, [shop(1)]);
    await expect(added).rejects.toMatchObject({
      code: "BATCH_NOT_FOUND",
      message: expect.stringContaining(NO_BATCH),
    });
    const name = nameOf("any");
    const { id } = await tasks.batches.create({ name });
    const { items } = await tasks.batches.list({ states: [], namePrefix: name });
    expect(items.map((batch) => batch.id)).toEqual([id]);
  });

  test("a batch in code runs to its end: members, then what is made of their results, once", async () => {
    const name = nameOf("settle");
    const made = await tasks.batches.create({
      name,
      tasks: [shop(1), shop(2), shop(3)],
      onComplete: { task: ReportDay, payload: { batch: name } },
      onSuccess: { task: BookDay, payload: { day: "2026-11-21" } },
      seal: true,
    });
    expect(made).toMatchObject({ name, state: "open", createdBy: "application", overdue: false, leftovers: null });
    expect(made.createdAt).toBeInstanceOf(Date);
    await eventually(async () => expect((await tasks.batches.get(made.id))?.state).toBe("complete"));
    const done = (await tasks.batches.get(made.id))!;
    const counts = { total: 3, live: 0, succeeded: 3, dead: 0, cancelled: 0, expired: 0 };
    expect(done).toMatchObject({ counts, progress: 1, onComplete: { type: "settle.report" }, isStopping: false });
    await eventually(async () => expect((await tasks.get(done.onComplete!.taskId!))?.state).toBe("succeeded"));
    const [read, ...others] = reports.get(name)!;
    expect(others).toEqual([]);
    expect(new Set(read!.map(({ result }) => result.cents))).toEqual(new Set([100, 200, 300]));
    expect((await tasks.get(done.onSuccess!.taskId!))?.type).toBe("settle.book");
  });

  test("a batch in code is split into shards, whose results come in their order", async () => {
    const { id } = await tasks.batches.create({ tasks: [shop(7)], shards: 5, seal: true });
    await eventually(async () => expect((await tasks.batches.get(id))?.state).toBe("complete"));
    const results = await tasks.batches.results<{ cents: number }>(id);
    expect(results.map(({ shard }) => shard)).toEqual([0, 1, 2, 3, 4].map((index) => ({ index, total: 5 })));
    expect(results.map(({ result }) => result.cents)).toEqual([700, 700, 700, 700, 700]);
    const { items } = await tasks.batches.members(id);
    const members = new Map(items.map((task) => [task.id, task]));
    for (const { taskId, shard } of results) expect(members.get(taskId)).toMatchObject({ batchId: id, shard });
    expect(await tasks.batches.get(id)).toMatchObject({ shards: 5, counts: { total: 5 } });
  });

  test("a batch is there with its members after the commit of a caller's transaction, and gone after a rollback", async () => {
    const name = nameOf("within");
    const make = (commits: boolean): Promise<string> =>
      dataSource.transaction(async (manager) => {
        const { id } = await tasks.batches.create({ name, tasks: [{ ...shop(1), ...LATER }] }, { manager });
        await tasks.batches.add(id, [{ ...shop(2), ...LATER }], { manager });
        await tasks.batches.seal(id, { manager });
        if (!commits) throw new Error(id);
        return id;
      });
    const gone: unknown = await make(false).catch(({ message }: Error) => message);
    expect(await tasks.batches.get(gone as string)).toBeNull();
    expect(await tasks.batches.getByName(name)).toBeNull();
    await expect(tasks.batches.members(gone as string)).rejects.toMatchObject({ code: "BATCH_NOT_FOUND" });
    const id = await make(true);
    expect(await tasks.batches.getByName(name)).toMatchObject({ id, state: "open" });
    expect(shopsOf((await tasks.batches.members(id)).items)).toEqual([1, 2]);
  });

  test("a second batch of the same name is refused, with the id of the first", async () => {
    const name = nameOf("twice");
    const { id } = await tasks.batches.create({ name });
    const again = tasks.batches.create({ name, tasks: [{ ...shop(1), ...LATER }] });
    await expect(again).rejects.toMatchObject({ code: "BATCH_EXISTS", details: { existingId: id } });
    expect((await tasks.batches.members(id)).items).toEqual([]);
  });

  test("a batch takes members once under an idempotency key, and a key is of one call", async () => {
    const { id } = await tasks.batches.create({});
    const members = [
      { ...shop(1), ...LATER },
      { ...shop(2), ...LATER },
    ];
    const idempotencyKey = randomUUID();
    const first = await tasks.batches.add(id, members, { idempotencyKey });
    expect(first).toMatchObject({ replayed: false, batch: { id, state: "filling" } });
    const again = await tasks.batches.add(id, members, { idempotencyKey });
    expect(again.replayed).toBe(true);
    expect(again.results).toEqual(first.results);
    expect((await tasks.batches.members(id)).items).toHaveLength(2);
    const refused = { code: "IDEMPOTENCY_KEY_REUSED" };
    await expect(tasks.batches.add(id, [members[0]!], { idempotencyKey })).rejects.toMatchObject(refused);
    const other = await tasks.batches.create({});
    await expect(tasks.batches.add(other.id, members, { idempotencyKey })).rejects.toMatchObject(refused);
  });

  test("one bad member of a batch does not stop the others, and each says what became of it", async () => {
    const { id } = await tasks.batches.create({ tasks: [{ ...shop(1), ...LATER, key: `${NO_BATCH}:1` }] });
    const { results } = await tasks.batches.add(id, [
      { ...shop(2), delay: "soon" as string as Duration },
      { ...shop(3), ...LATER },
      { ...shop(1), ...LATER, key: `${NO_BATCH}:1` },
    ]);
    expect(results).toMatchObject([
      { status: "rejected", error: { code: "VALIDATION_FAILED", errors: [{ path: "tasks[0].delay" }] } },
      { status: "created", task: { batchId: id, shard: null, payload: { shop: 3 } } },
      { status: "rejected", error: { code: "TASK_KEY_CONFLICT" } },
    ]);
  });

  test("a batch takes nobody's members once it is sealed or cancelled", async () => {
    const { id } = await tasks.batches.create({ tasks: [{ ...shop(1), ...LATER }] });
    expect(await tasks.batches.seal(id)).toMatchObject({ state: "open" });
    expect((await tasks.batches.seal(id.toUpperCase())).sealedAt).toBeInstanceOf(Date);
    await expect(tasks.batches.add(id, [shop(2)])).rejects.toMatchObject({ code: "BATCH_SEALED" });
    const cancelled = await tasks.batches.cancel(id);
    expect(cancelled).toMatchObject({ state: "cancelled", stop: { reason: "REQUESTED", by: "application" } });
    expect(await tasks.batches.cancel(id)).toMatchObject({ state: "cancelled" });
    await expect(tasks.batches.seal(id)).rejects.toMatchObject({ code: "BATCH_STATE_CONFLICT" });
    await eventually(async () => {
      const { items } = await tasks.batches.members(id);
      expect(items.map(({ state }) => state)).toEqual(["cancelled"]);
    });
  });

  test("an empty batch that is sealed completes at once, and can be cancelled no more", async () => {
    const { id } = await tasks.batches.create({ seal: true });
    await eventually(async () => expect(await tasks.batches.get(id)).toMatchObject({ state: "complete", progress: 1 }));
    await expect(tasks.batches.cancel(id)).rejects.toMatchObject({ code: "BATCH_STATE_CONFLICT" });
  });

  test("a page of a batch's long members is shorter, and the next goes on; too many results are an error, not a part of them", async () => {
    const member = { task: "unserved", payload: "x".repeat(60_000) };
    const long = await tasks.batches.create({ tasks: Array.from({ length: 50 }, () => member) });
    const seen = new Set<string>();
    let pages = 0;
    for (let after: string | undefined | null; after !== null; pages++) {
      const page: Awaited<ReturnType<typeof tasks.batches.members>> = await tasks.batches.members(long.id, {
        limit: 50,
        ...(after && { after }),
      });
      expect(page.items.length).toBeGreaterThan(0);
      for (const { id } of page.items) seen.add(id);
      expect(page.incomplete).toBe(page.next !== null);
      after = page.next;
    }
    expect([seen.size, pages]).toEqual([50, 2]);
    const many = await tasks.batches.create({ tasks: [shop(1)], shards: 1_000 });
    await tasks.batches.add(many.id, [shop(1)]);
    await tasks.batches.seal(many.id);
    await eventually(async () => expect((await tasks.batches.get(many.id))?.state).toBe("complete"));
    await expect(tasks.batches.results(many.id)).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  });

  test("lists of batches in code go on page by page, and hold to their filters", async () => {
    const prefix = nameOf("pages");
    const made: string[] = [];
    for (const place of [1, 2, 3]) made.push((await tasks.batches.create({ name: `${prefix}.${place}` })).id);
    made.sort();
    await tasks.batches.cancel(made[0]!);
    const first = await tasks.batches.list({ namePrefix: prefix, limit: 2 });
    expect(first.items.map(({ id }) => id)).toEqual([made[2], made[1]]);
    const second = await tasks.batches.list({ namePrefix: prefix, limit: 2, before: first.next! });
    expect([second.items.map(({ id }) => id), second.next]).toEqual([[made[0]], null]);
    const cancelled = await tasks.batches.list({ namePrefix: prefix, states: ["cancelled"] });
    expect(cancelled.items.map(({ id }) => id)).toEqual([made[0]]);
    await tasks.batches.add(
      made[1]!,
      [1, 2, 3].map((number) => ({ ...shop(number), ...LATER })),
    );
    const members = await tasks.batches.members(made[1]!, { limit: 2, states: ["scheduled"] });
    const rest = await tasks.batches.members(made[1]!, { limit: 2, after: members.next! });
    expect(shopsOf([...members.items, ...rest.items])).toEqual([1, 2, 3]);
    expect([members.incomplete, rest.incomplete, rest.next]).toEqual([false, false, null]);
    expect((await tasks.batches.members(made[1]!, { states: ["dead"] })).items).toEqual([]);
  });

  test("a batch that nobody made is absent, or an error where it must be there", async () => {
    for (const id of [NO_BATCH, "no id"]) {
      expect(await tasks.batches.get(id)).toBeNull();
      const refused = { code: "BATCH_NOT_FOUND" };
      for (const call of ["seal", "cancel", "members", "results"] as const)
        await expect(tasks.batches[call](id)).rejects.toMatchObject(refused);
      await expect(tasks.batches.add(id, [shop(1)])).rejects.toMatchObject(refused);
    }
    expect(await tasks.batches.getByName(nameOf("nobody"))).toBeNull();
    expect(await tasks.batches.getByName("no name\0")).toBeNull();
  });

  test("bad input of a batch in code names every fault", async () => {
    const bad = { name: "a b", tasks: [shop(1), { ...shop(2), delay: "soon" as string as Duration }], retryDead: true };
    const faults = [{ path: "name" }, { path: "retryDead" }, { path: "tasks[1].delay" }];
    await expect(tasks.batches.create(bad)).rejects.toMatchObject({ code: "VALIDATION_FAILED", faults });
    await expect(tasks.batches.add(NO_BATCH, [])).rejects.toMatchObject({ faults: [{ path: "tasks" }] });
    await expect(tasks.batches.add(NO_BATCH, [shop(1)], { idempotencyKey: "" })).rejects.toMatchObject({
      faults: [{ path: "idempotencyKey" }],
    });
    await expect(tasks.batches.list({ limit: 0 })).rejects.toMatchObject({ faults: [{ path: "limit" }] });
    await expect(tasks.batches.results(NO_BATCH)).rejects.toMatchObject({ code: "BATCH_NOT_FOUND" });
    await expect(tasks.batches.create(null as never)).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    await expect(tasks.batches.create({ tasks: [null as never] })).rejects.toMatchObject({
      faults: [{ path: "tasks[0]" }],
    });
  });
});
