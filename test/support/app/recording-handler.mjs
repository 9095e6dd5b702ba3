import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { Inject, Injectable } from "@nestjs/common";
import { DelayTaskHandler } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";

/** How often a record is tried again while the database restarts; a fail-over takes longer. */
const RECORD_RETRY_MS = 50;
const RECORD_TRIES = Number(process.env.TEST_RECORD_TRIES ?? 100);

const NOBODY_WAKES = new Int32Array(new SharedArrayBuffer(4));

const START = `INSERT INTO started (record_id, task_id, type, node, fence, attempt, due_at, created_at, called_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (record_id) DO NOTHING`;
const END = `INSERT INTO ended (record_id, task_id, node, fence, outcome, aborted_at, returned_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (record_id) DO NOTHING`;
const CREDIT = "UPDATE account SET credits = credits + 1 WHERE name = $1";
/** Longer than any test. */
const DEAF_MS = 120_000;
const COLLECT = "INSERT INTO collected (task_id, key, n) VALUES ($1, $2, $3)";
const OCCUR = "INSERT INTO occurred (task_id, schedule, instant, missed, version) VALUES ($1, $2, $3, $4, $5)";
const EFFECT = "INSERT INTO effect (task_id, node, fence) VALUES ($1, $2, $3)";

/**
 * A provider that handles one type. Its payload says what it does: `effect` writes one effect in `ctx.transaction`;
 * `holdMs` waits first, only at `holdFence` if that is given, and ignores the signal if `deaf`; `fails` throws in this
 * many first attempts; `blockMs` blocks the event loop at once. `credits` adds one to this account in
 * `ctx.transaction`; in that transaction it stops its own process at `stopFence`, or waits at `deafFence` and ignores
 * every time-out. `report` tells this progress, with its note, and stores this checkpoint. `collect` records the sum
 * `n` under this key in `ctx.transaction`. An occurrence of a schedule records its instant, and the `version` in its
 * payload, in `ctx.transaction`.
 *
 * @param options of the handler
 */
export function recordingHandler(type, options = {}) {
  const RecordingHandler = recorder(type);
  DelayTaskHandler(type, options)(RecordingHandler);
  return RecordingHandler;
}

/** The class alone: a test that wants it decorates its method `handle`. */
export function recorder(type) {
  class RecordingHandler {
    constructor(dataSource) {
      this.dataSource = dataSource;
    }

    async handle(task, ctx) {
      const calledAt = new Date();
      if (task.payload?.blockMs) Atomics.wait(NOBODY_WAKES, 0, 0, task.payload.blockMs);
      const execution = [task.id, String(process.pid), ctx.fence];
      const [id, node, fence] = execution;
      // Writing down the start may take as long as Postgres is away.
      let abortedAt = null;
      ctx.signal.addEventListener("abort", () => (abortedAt = new Date()), { once: true });
      await recordOnce(this.dataSource, START, [
        id,
        type,
        node,
        fence,
        ctx.attempt,
        task.dueAt,
        task.createdAt,
        calledAt,
      ]);
      let outcome = "failed";
      try {
        await this.act(task, ctx);
        outcome = "done";
      } finally {
        await recordOnce(this.dataSource, END, [...execution, outcome, abortedAt, new Date()]);
      }
    }

    async act({ id, payload }, ctx) {
      const { effect = false, holdMs = 0, holdFence = ctx.fence, deaf = false, fails = 0 } = payload ?? {};
      if (holdMs > 0 && holdFence === ctx.fence) await wait(holdMs, undefined, deaf ? {} : { signal: ctx.signal });
      if (ctx.attempt <= fails) throw new Error(`asked to fail ${fails} times`);
      const values = [id, String(process.pid), ctx.fence];
      if (payload?.credits) await ctx.transaction((manager) => credit(payload, ctx, manager));
      if (ctx.occurrenceAt) await ctx.transaction((manager) => occur({ id, payload }, ctx, manager));
      if (payload?.report) await report(payload.report, ctx);
      if (payload?.collect) await ctx.transaction((manager) => collect(id, payload, manager));
      if (effect) await ctx.transaction(async (manager) => void (await manager.query(EFFECT, values)));
    }
  }
  Inject(DataSource)(RecordingHandler, undefined, 0);
  Injectable()(RecordingHandler);
  return RecordingHandler;
}

/** Writes one record once, also where Postgres kept it and died before it answered: each call has its own id. */
async function recordOnce(dataSource, sql, values) {
  const recordId = randomUUID();
  for (let tries = RECORD_TRIES; ; tries--) {
    try {
      return await dataSource.query(sql, [recordId, ...values]);
    } catch (error) {
      if (tries === 0 || !dataSource.isInitialized) throw error;
      await wait(RECORD_RETRY_MS);
    }
  }
}

async function occur({ id, payload }, { schedule, occurrenceAt, missed }, manager) {
  await manager.query(OCCUR, [id, schedule, occurrenceAt.getTime(), missed, payload?.version ?? null]);
}

async function report({ value, note, checkpoint }, ctx) {
  ctx.progress(value, note);
  await ctx.checkpoint(checkpoint);
}

async function collect(id, { collect: key, n }, manager) {
  await manager.query(COLLECT, [id, key, n]);
}

async function credit({ credits, stopFence, deafFence }, { fence }, manager) {
  await manager.query(CREDIT, [credits]);
  if (stopFence === fence) process.kill(process.pid, "SIGSTOP");
  if (deafFence === fence) await wait(DEAF_MS);
}
