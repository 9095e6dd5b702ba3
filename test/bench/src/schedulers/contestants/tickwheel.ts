import "reflect-metadata";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { type INestApplicationContext, Module, type NestApplicationOptions, type Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { ApiKeyRing, DelayTaskApiModule } from "@tickwheel/api";
import {
  type DelayTask,
  DelayTaskHandler,
  DelayTaskModule,
  type DelayTaskModuleOptions,
  DelayTaskNode,
  DelayTaskService,
  type TypeChangesInput,
} from "@tickwheel/nestjs";
import { Pool } from "pg";
import {
  BENCH_API_KEY,
  type BenchPayload,
  type BenchTask,
  type ClusterLimit,
  type Contestant,
  type ContestantSetup,
  type OpenContestant,
  TASK_TYPE,
} from "./contestant.js";

/** Between two looks whether an operation is over. */
const OVER_POLL_MS = 50;

const OPTIONS: NestApplicationOptions = { logger: ["error"], abortOnError: false };

/**
 * Tickwheel as a Nest application has it: `DelayTaskModule` with its defaults, a handler, and `DelayTaskService`. The
 * look at its tables is the bench's own, on a connection of its own.
 */
class TickwheelContestant implements Contestant {
  readonly bulk = { size: 500, inFlight: 3 };
  private readonly tasks: DelayTaskService;

  constructor(
    private readonly app: INestApplicationContext,
    private readonly tables: Pool,
    /** `port`: of its API; 0: there is none. `isLean`: it keeps nothing of what has ended. */
    private readonly its: { port: number; isLean: boolean },
  ) {
    this.tasks = app.get(DelayTaskService);
  }

  async create({ payload, dueAt, tag }: BenchTask): Promise<string> {
    const { task } = await this.tasks.schedule(TASK_TYPE, payload, { scheduledAt: new Date(dueAt), tags: tagsOf(tag) });
    return task.id;
  }

  async createKeyed({ payload, dueAt }: BenchTask, key: string): Promise<string> {
    const options = { scheduledAt: new Date(dueAt), key, onConflict: "replace" } as const;
    const { task } = await this.tasks.schedule(TASK_TYPE, payload, options);
    return task.id;
  }

  async merge(key: string, dueAt: number): Promise<void> {
    const options = { scheduledAt: new Date(dueAt), key, onConflict: "merge", merge: { calls: "add" } } as const;
    await this.tasks.schedule(TASK_TYPE, { calls: 1, bytes: 0.1 }, options);
  }

  async merged(): Promise<number> {
    const sql = "SELECT coalesce(sum((payload ->> 'calls')::numeric), 0)::int AS merged FROM tickwheel.task";
    const { rows } = await this.tables.query<{ merged: number }>(sql);
    return rows[0]!.merged;
  }

  async createMany(tasks: readonly BenchTask[]): Promise<string[]> {
    const items = tasks.map(({ payload, dueAt, tag }) => ({
      task: TASK_TYPE,
      payload,
      scheduledAt: new Date(dueAt),
      tags: tagsOf(tag),
    }));
    const results = await this.tasks.scheduleMany(items);
    return results.map((result) => {
      if (result.status === "rejected") throw new Error(result.error.detail);
      return result.task.id;
    });
  }

  async cancel(id: string): Promise<void> {
    const { outcome } = await this.tasks.cancel(id, { returning: this.its.isLean ? "id" : "task" });
    if (outcome !== "cancelled") throw new Error(`cancel of ${id}: ${outcome}`);
  }

  async cancelTagged(tag: string): Promise<number> {
    const items = await this.tasks.cancelByTag(tag);
    return items.filter(({ outcome }) => outcome === "cancelled").length;
  }

  async cancelFrom(dueFrom: number): Promise<{ id: string; tasks: number }> {
    const filter = { type: TASK_TYPE, dueFrom: new Date(dueFrom) };
    const reason = "measured by the bench";
    const { id } = await this.tasks.operations.start({ action: "cancel", filter, reason });
    const { changed } = await this.whenOver(id, "done");
    return { id, tasks: changed };
  }

  async undo(id: string): Promise<number> {
    await this.tasks.operations.undo(id);
    return (await this.whenOver(id, "undone")).undone;
  }

  private async whenOver(id: string, state: string): Promise<{ changed: number; undone: number }> {
    for (;;) {
      const operation = await this.tasks.operations.get(id);
      if (operation?.state === state) return operation;
      await wait(OVER_POLL_MS);
    }
  }

  limit(limit: ClusterLimit | null): Promise<void> {
    return this.set({
      maxRunning: limit && "maxRunning" in limit ? limit.maxRunning : null,
      rate: limit && "perSecond" in limit ? { count: limit.perSecond, per: "1s" } : null,
    });
  }

  /** Sets something of the bench's type, and waits until every node obeys. */
  async set(changes: TypeChangesInput): Promise<void> {
    const change = await this.tasks.types.update(TASK_TYPE, changes);
    if (!change.obeyed) throw new Error(`a change is not obeyed yet by ${JSON.stringify(change.waitingFor)}`);
  }

  async pending(): Promise<number> {
    const sql = `SELECT count(*)::int AS pending FROM tickwheel.task WHERE state IN (0, 1) AND created_by NOT LIKE 'schedule:%'`;
    const { rows } = await this.tables.query<{ pending: number }>(sql);
    return rows[0]!.pending;
  }

  async isTidy(): Promise<boolean> {
    const { rowCount } = await this.tables.query("SELECT FROM tickwheel.task WHERE state >= 2 LIMIT 1");
    return rowCount === 0;
  }

  async inspect(): Promise<Record<string, number>> {
    const { options, service } = this.app.get(DelayTaskNode);
    const { wheel } = await service.stats(options.namespace);
    return {
      wheelEntries: wheel.entries,
      wheelBytes: wheel.bytes,
      ...(this.its.port > 0 && { port: this.its.port }),
    };
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.tables.end();
  }
}

export const open: OpenContestant = async (setup, run) => {
  @DelayTaskHandler(TASK_TYPE)
  class BenchHandler {
    handle({ payload }: DelayTask<BenchPayload>): Promise<void> | void {
      return run(payload.n);
    }
  }
  const { serves, postgresUrl } = setup;
  const api = serves
    ? [DelayTaskApiModule.forRoot({ dashboard: false, pollsPerKey: MANY_POLLS, pollsPerNode: 2 * MANY_POLLS })]
    : [];
  @Module({ providers: [BenchHandler], imports: [...api, DelayTaskModule.forRoot(optionsOf(setup))] })
  class BenchModule {}
  const [app, port] = serves
    ? await serve(BenchModule)
    : [await NestFactory.createApplicationContext(BenchModule, OPTIONS), 0];
  await makeSchedules(app.get(DelayTaskService), setup.schedules);
  const isLean = setup.settings === "lean";
  const tables = new Pool({ connectionString: postgresUrl, max: 1 });
  const contestant = new TickwheelContestant(app, tables, { port, isLean });
  if (isLean) await contestant.set({ keepSucceeded: 0, keepCancelled: 0 });
  return contestant;
};

/** More calls of consumers that wait than any job makes. */
const MANY_POLLS = 20_000;

function tagsOf(tag: string | undefined): string[] | undefined {
  return tag === undefined ? undefined : [tag];
}

/** Daily schedules, some at a time. */
async function makeSchedules({ schedules }: DelayTaskService, count: number): Promise<void> {
  for (let made = 0; made < count; made += 20) {
    const names = Array.from({ length: Math.min(20, count - made) }, (_, index) => `bench.${made + index}`);
    await Promise.all(names.map((name) => schedules.create({ name, task: "bench.daily", every: "1d" })));
  }
}

/** The application with its API, and the port. */
async function serve(module: Type): Promise<[INestApplicationContext, number]> {
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), OPTIONS);
  await app.init();
  await app.get(ApiKeyRing, { strict: false }).ensureFirstKey(BENCH_API_KEY, "default");
  await app.listen(0, "127.0.0.1");
  return [app, (app.getHttpServer().address() as AddressInfo).port];
}

function optionsOf({ postgresUrl, redisUrl, concurrency, works }: ContestantSetup): DelayTaskModuleOptions {
  return { url: postgresUrl, redis: redisUrl, engine: works, ...(concurrency === null ? {} : { concurrency }) };
}
