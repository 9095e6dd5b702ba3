import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type INestApplicationContext, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import {
  defineTask,
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  DelayTaskService,
  type TaskDetails,
} from "@tickwheel/nestjs";
import { Pool } from "pg";
import * as z from "zod";
import { eventually } from "../support/eventually.js";
import { transactionLibraries } from "../support/transactions/transaction-libraries.js";
import type { TransactionLibrary } from "../support/transactions/transaction-library.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

/** What the handlers do, by the word in their payload. */
type Deed = (task: DelayTask<{ deed: string }>, ctx: DelayTaskContext<object>) => Promise<unknown>;
const Work = defineTask<{ deed: string }>("work", { maxAttempts: 2, backoff: { kind: "fixed", delay: 20 } });
const Sum = defineTask("sum", { schema: z.object({ n: z.number().max(10) }) });
const LATER = { delay: "1h" } as const;
const UNAVAILABLE = { code: "TRANSACTION_UNAVAILABLE" };

let postgres: OwnPostgres;
let databases = 0;
let deeds: Record<string, Deed> = {};

class WorkHandler {
  @DelayTaskHandler(Work)
  work(task: DelayTask<{ deed: string }>, ctx: DelayTaskContext<object>): Promise<unknown> | undefined {
    return deeds[task.payload.deed]?.(task, ctx);
  }
}

beforeAll(async () => {
  postgres = await OwnPostgres.start();
});
afterAll(() => postgres.stop());

describe.each(transactionLibraries)("with $name", ({ open }) => {
  let url: string;
  let library: TransactionLibrary;
  let app: INestApplicationContext;
  let tasks: DelayTaskService;
  /** Sees what is committed. */
  let outside: Pool;

  beforeAll(async () => {
    url = await postgres.createDatabase(`libraries_${databases++}`);
    outside = new Pool({ connectionString: url });
    await outside.query("CREATE TABLE notes (text text PRIMARY KEY)");
    library = await open(url);
    @Module({
      providers: [WorkHandler],
      imports: [DelayTaskModule.forRoot({ url, transactions: library.adapter, heartbeat: "loop" })],
    })
    class RootModule {}
    app = await NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
    tasks = app.get(DelayTaskService);
  });
  afterAll(async () => {
    await app?.close();
    await library?.close();
    await outside?.end();
  });
  beforeEach(async () => {
    await outside.query("DELETE FROM notes");
  });
  afterEach(() => {
    deeds = {};
  });

  async function notes(): Promise<string[]> {
    const { rows } = await outside.query<{ text: string }>("SELECT text FROM notes ORDER BY text");
    return rows.map(({ text }) => text);
  }

  /** Runs a handler as a task, which is due now. */
  async function run(deed: Deed): Promise<string> {
    deeds["given"] = deed;
    return (await tasks.schedule(Work, { deed: "given" })).task.id;
  }

  async function whenItIs(id: string, expected: object): Promise<TaskDetails> {
    return eventually(async () => {
      const task = await tasks.get(id);
      expect(task).toMatchObject(expected);
      return task!;
    });
  }

  test("a row and a task are committed together", async () => {
    const { task } = await library.transaction(async (manager) => {
      await library.note(manager, "order");
      return tasks.schedule(Work, { deed: "none" }, { ...LATER, manager });
    });
    expect([await notes(), (await tasks.get(task.id))?.state]).toEqual([["order"], "scheduled"]);
  });

  test("a row and a task are rolled back together", async () => {
    let id = "";
    const work = library.transaction(async (manager) => {
      await library.note(manager, "order");
      ({ id } = (await tasks.schedule(Work, { deed: "none" }, { ...LATER, manager })).task);
      expect(await tasks.get(id, { manager })).toMatchObject({ state: "scheduled" });
      throw new Error("no stock");
    });
    await expect(work).rejects.toThrow("no stock");
    expect([await notes(), await tasks.get(id)]).toEqual([[], null]);
  });

  test("a merge that does not fit its schema is refused, and the transaction goes on", async () => {
    const merging = { ...LATER, key: "k", onConflict: "merge", merge: { n: "add" } } as const;
    const { task } = await tasks.schedule(Sum, { n: 7 }, merging);
    await library.transaction(async (manager) => {
      await library.note(manager, "order");
      const unfit = tasks.schedule(Sum, { n: 4 }, { ...merging, manager });
      await expect(unfit).rejects.toMatchObject({ code: "VALIDATION_FAILED", faults: [{ path: "payload.n" }] });
      await tasks.schedule(Sum, { n: 3 }, { ...merging, manager });
    });
    expect([await notes(), (await tasks.get(task.id))?.payload]).toEqual([["order"], { n: 10 }]);
  });

  test("a task that is due now runs after the commit, and not before", async () => {
    const seen: string[] = [];
    deeds["early"] = async () => void seen.push(...(await notes()));
    const id = await library.transaction(async (manager) => {
      const created = await tasks.schedule(Work, { deed: "early" }, { manager });
      // A later task runs meanwhile.
      await whenItIs(await run(() => Promise.resolve()), { state: "succeeded" });
      await library.note(manager, "before the commit");
      return created.task.id;
    });
    await whenItIs(id, { state: "succeeded", attempt: 1 });
    expect(seen).toEqual(["before the commit"]);
  });

  test("ctx.transaction commits its effects with the task's completion", async () => {
    const id = await run((_task, ctx) =>
      ctx.transaction(async (tx) => {
        await library.note(tx, "paid");
        return { cents: 900 };
      }),
    );
    await whenItIs(id, { state: "succeeded", attempt: 1, result: { cents: 900 } });
    expect(await notes()).toEqual(["paid"]);
  });

  test("an error in ctx.transaction rolls its effects back, and the attempt fails", async () => {
    const id = await run((task, ctx) =>
      ctx.transaction(async (tx) => {
        await library.note(tx, `attempt ${task.attempt}`);
        if (task.attempt === 1) throw new Error("the bank is away");
      }),
    );
    const { lastError } = await whenItIs(id, { state: "succeeded", attempt: 2 });
    expect(lastError).toContain("the bank is away");
    expect(await notes()).toEqual(["attempt 2"]);
  });

  test("a step of ctx.once and a page of ctx.walk run once, over a failed attempt", async () => {
    const id = await run(async (task, ctx) => {
      const booked = await ctx.once("book", async (tx) => {
        await library.note(tx, `step in attempt ${task.attempt}`);
        return { receipt: "R-1" };
      });
      await ctx.walk<number>(async (from, tx) => {
        if (from === 2 && task.attempt === 1) throw new Error("the second page fails");
        await library.note(tx, `page ${from ?? 1} in attempt ${task.attempt}`);
        return from === 2 ? null : 2;
      });
      return booked;
    });
    await whenItIs(id, { state: "succeeded", attempt: 2, result: { receipt: "R-1" } });
    expect(await notes()).toEqual(["page 1 in attempt 1", "page 2 in attempt 2", "step in attempt 1"]);
  });

  test("a task is read within a transaction as it is outside", async () => {
    const payload = { deed: "ä\"\\{}', NULL" };
    const all = { ...LATER, key: "read", tags: ["a,b", 'c"d'], priority: 3, startDeadline: "2h" as const };
    const { task } = await tasks.schedule(Work, payload, all);
    const [got, found] = await library.transaction(async (manager) => [
      await tasks.get(task.id, { manager }),
      await tasks.find(Work, { key: "read" }, { manager }),
    ]);
    expect(got).toEqual(await tasks.get(task.id));
    expect(found).toEqual(await tasks.find(Work, { key: "read" }));
  });

  test("each verb works within a transaction, and is undone with it", async () => {
    const key = `kept ${"ä\"\\{}', NULL"}`;
    const { task } = await tasks.schedule(Work, { deed: key }, { ...LATER, key, tags: ["a,b", 'c"d'] });
    const before = await tasks.get(task.id);
    const verbs = async (manager: object): Promise<void> => {
      await tasks.reschedule(task.id, { delay: "2h" }, { manager });
      await tasks.pause(task.id, { manager });
      await tasks.resume(task.id, { manager });
      const again = { ...LATER, key, manager };
      await tasks.schedule(Work, { deed: "merged" }, { ...again, onConflict: "merge" });
      await tasks.schedule(Work, { deed: "refreshed" }, { ...again, onConflict: "refresh", maxWait: "3h" });
      await tasks.schedule(Work, { deed: "none" }, { ...LATER, idempotencyKey: key, manager });
      const many = ["one", "two"].map((deed) => ({ task: Work, payload: { deed }, ...LATER, tags: [deed, "é"] }));
      await tasks.scheduleMany(many, { manager });
      const batch = await tasks.batches.create({ name: "b", tasks: many }, { manager });
      await tasks.batches.seal(batch.id, { manager });
      expect((await tasks.find(Work, { key }, { manager })).items).toHaveLength(1);
      expect(await tasks.cancel(task.id, { manager })).toMatchObject({ outcome: "cancelled" });
    };
    const undone = library.transaction(async (manager) => {
      await verbs(manager);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await tasks.get(task.id)).toEqual(before);
    await library.transaction(verbs);
    expect(await tasks.get(task.id)).toMatchObject({ state: "cancelled" });
  });

  test("a refusal within a transaction has its own code", async () => {
    await tasks.schedule(Work, { deed: "none" }, { ...LATER, key: "taken" });
    const work = library.transaction((manager) =>
      tasks.schedule(Work, { deed: "none" }, { ...LATER, key: "taken", manager }),
    );
    await expect(work).rejects.toMatchObject({ code: "TASK_KEY_CONFLICT" });
  });

  test.each<[string, () => object]>([
    ["the library outside a transaction", () => library.untransacted],
    ["a handle of nothing", () => ({})],
  ])("%s is refused as `manager`", async (_what, handle) => {
    const call = tasks.schedule(Work, { deed: "none" }, { key: "refused", manager: handle() });
    await expect(call).rejects.toMatchObject({ ...UNAVAILABLE, message: expect.stringContaining("manager") });
    expect((await tasks.find(Work, { key: "refused" })).items).toEqual([]);
  });

  test.each(["ROLLBACK", "COMMIT; BEGIN"])(
    "a handler that says %s by hand in its transaction fails, by each of its ways to one",
    async (words) => {
      const byHand = async (tx: object): Promise<null> => {
        await library.note(tx, "note");
        for (const word of words.split("; ")) await library.adapter.statements(tx).query(word);
        return null;
      };
      const ways: Deed[] = [
        (_task, ctx) => ctx.transaction(byHand),
        (_task, ctx) => ctx.once("step", byHand),
        (_task, ctx) => ctx.walk((_from, tx) => byHand(tx)),
      ];
      for (const way of ways) {
        await outside.query("DELETE FROM notes");
        const id = await run(async (task, ctx) => {
          if (task.attempt === 1) await way(task, ctx);
        });
        const task = await whenItIs(id, { state: "succeeded", attempt: 2 });
        expect(task.lastError).toMatch(/TickwheelError/);
        expect(task.checkpoint ?? null).toBeNull();
      }
    },
  );

  test("a transaction that is over, or has failed before, is said to be at fault", async () => {
    let kept: object = {};
    await library.transaction((manager) => Promise.resolve((kept = manager)));
    await expect(tasks.schedule(Work, { deed: "none" }, { manager: kept })).rejects.toMatchObject(UNAVAILABLE);
    const failing = library.transaction(async (manager) => {
      await library.note(manager, "twice");
      await Promise.resolve(library.note(manager, "twice")).catch(() => undefined);
      await tasks.schedule(Work, { deed: "none" }, { manager });
    });
    await expect(failing).rejects.toMatchObject(UNAVAILABLE);
  });

  test("a handler whose session the server ends fails, its effects are undone, and the process lives", async () => {
    const id = await run((task, ctx) =>
      ctx.transaction(async (tx) => {
        await library.note(tx, `attempt ${task.attempt}`);
        if (task.attempt === 1) await endSessionsOfHandlers();
      }),
    );
    await whenItIs(id, { state: "succeeded", attempt: 2 });
    expect(await notes()).toEqual(["attempt 2"]);
  });

  /** As a leader does it that declares a node dead. */
  async function endSessionsOfHandlers(): Promise<void> {
    const { rows } = await outside.query<{ pid: number }>(
      `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'tw/%/%/%'`,
    );
    expect(rows).toHaveLength(1);
    await eventually(async () => {
      const left = await outside.query("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [rows[0]!.pid]);
      expect(left.rowCount).toBe(0);
    });
  }
});
