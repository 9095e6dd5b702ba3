import "reflect-metadata";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { type DelayTask, DelayTaskHandler, DelayTaskModule, DelayTaskNode, DelayTaskService } from "@tickwheel/nestjs";
import { Pool } from "pg";
import type { BenchPayload, BenchTask, Contestant, ContestantSetup, OpenContestant } from "./contestant.js";

const TYPE = "bench";

/**
 * Tickwheel as a Nest application has it: `DelayTaskModule` with its defaults, a handler, and `DelayTaskService`. The look at its tables
 * is the bench's own, on a connection of its own.
 */
class TickwheelContestant implements Contestant {
  readonly bulk = { size: 1_000, inFlight: 2 };

  constructor(
    private readonly app: Awaited<ReturnType<typeof NestFactory.createApplicationContext>>,
    private readonly tables: Pool,
    private readonly tasks: DelayTaskService = app.get(DelayTaskService),
  ) {}

  async create({ payload, dueAt }: BenchTask): Promise<string> {
    const { task } = await this.tasks.schedule(TYPE, payload, { scheduledAt: new Date(dueAt) });
    return task.id;
  }

  async createMany(tasks: readonly BenchTask[]): Promise<string[]> {
    const items = tasks.map(({ payload, dueAt }) => ({ task: TYPE, payload, scheduledAt: new Date(dueAt) }));
    const results = await this.tasks.scheduleMany(items);
    return results.map((result) => {
      if (result.status === "rejected") throw new Error(result.error.detail);
      return result.task.id;
    });
  }

  async cancel(id: string): Promise<void> {
    const { outcome } = await this.tasks.cancel(id);
    if (outcome !== "cancelled") throw new Error(`cancel of ${id}: ${outcome}`);
  }

  async pending(): Promise<number> {
    const sql = "SELECT count(*)::int AS pending FROM tickwheel.task WHERE state IN (0, 1)";
    const { rows } = await this.tables.query<{ pending: number }>(sql);
    return rows[0]!.pending;
  }

  async isTidy(): Promise<boolean> {
    const { rowCount } = await this.tables.query("SELECT FROM tickwheel.task WHERE state >= 2 LIMIT 1");
    return rowCount === 0;
  }

  async inspect(): Promise<Record<string, number>> {
    return { rssBytes: process.memoryUsage.rss(), connections: this.app.get(DelayTaskNode).connectionCount };
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.tables.end();
  }
}

export const open: OpenContestant = async (setup, run) => {
  @DelayTaskHandler(TYPE)
  class BenchHandler {
    handle({ payload }: DelayTask<BenchPayload>): Promise<void> | void {
      return run(payload.n);
    }
  }
  @Module({ providers: [BenchHandler], imports: [DelayTaskModule.forRoot(optionsOf(setup))] })
  class BenchModule {}
  const app = await NestFactory.createApplicationContext(BenchModule, {
    logger: ["error"],
    abortOnError: false,
  });
  return new TickwheelContestant(app, new Pool({ connectionString: setup.postgresUrl, max: 1 }));
};

function optionsOf({
  postgresUrl,
  redisUrl,
  concurrency,
  works,
}: ContestantSetup): Parameters<typeof DelayTaskModule.forRoot>[0] {
  return { url: postgresUrl, redis: redisUrl, engine: works, ...(concurrency === null ? {} : { concurrency }) };
}
