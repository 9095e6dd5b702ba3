import { type Clock, type Telemetry, wait } from "@tickwheel/core";
import type { QueryRunner } from "typeorm";
import { isLockConflict, sqlStateOf } from "../../connection/driver-errors.js";
import type { QuotedSchema } from "../../connection/session.js";
import { ConcurrentIndex } from "./concurrent-index.js";
import { instantOf, type Migration, type MigrationStep } from "./migration.js";

/** A change of a table waits this long for its lock. Everybody who comes after it waits as well. */
const LOCK_TIMEOUT_MS = 100;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** A step is tried again for this long, in milliseconds. Then the migration fails, and a later run goes on with it. */
const PATIENCE_MS = 600_000;

export interface StepContext {
  schema: QuotedSchema;
  clock: Clock;
  telemetry: Telemetry;
  /** Whether a session keeps its settings. False through PgBouncer. */
  setsSession: boolean;
}

/**
 * Makes the steps of migrations, one after the other, while nodes and callers work on the tables.
 *
 * A step that needs a lock waits only 100 ms for it, since everybody else queues up behind it. Then it is rolled back
 * and tried again after a pause that grows to 5 s, for ten minutes at most. Each pause is reported, with the
 * transactions that are in the way. However this process ends, every step is made whole or not at all; an unfinished
 * index is found and made again.
 */
export class StepRunner {
  constructor(
    private readonly runner: QueryRunner,
    private readonly context: StepContext,
  ) {}

  async runAll({ name, oldestCompatible, steps }: Migration): Promise<void> {
    await this.lengthenLimits();
    if (oldestCompatible !== undefined) await this.refuseOlderNodes(oldestCompatible);
    for (const [index, step] of steps.entries()) await this.run(step, `${name}, step ${index + 1}`);
  }

  /** Runs SQL in a transaction that waits 100 ms for locks, again and again. */
  transaction(doing: string, sql: string): Promise<void> {
    return this.patiently(doing, async () => {
      await this.runner.startTransaction("READ COMMITTED");
      try {
        await this.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; SET LOCAL statement_timeout = 0`);
        await this.query(sql);
        await this.runner.commitTransaction();
      } catch (error) {
        await this.runner.rollbackTransaction().catch(() => undefined);
        throw error;
      }
    });
  }

  /** Runs `work` until no lock is in its way. */
  async patiently(doing: string, work: () => Promise<void>): Promise<void> {
    const { clock } = this.context;
    const endMonoMs = clock.monotonicMs() + PATIENCE_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!isLockConflict(error) || clock.monotonicMs() > endMonoMs) throw error;
        await this.tellWait({ doing, pauseMs, sqlState: sqlStateOf(error) });
        await wait(clock, pauseMs);
      }
    }
  }

  query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return this.runner.query(sql, values) as Promise<Record<string, unknown>[]>;
  }

  /** Names of a table's partitions, quoted, with the schema; empty where it has none. */
  async partitionsOf(table: string): Promise<string[]> {
    const rows = await this.query(
      `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = '${this.context.schema}.${table}'::regclass ORDER BY c.relname`,
    );
    return rows.map(({ name }) => name as string);
  }

  tell(name: string, message: string, facts: Record<string, unknown>): void {
    this.context.telemetry.emit({ name, level: "info", message, facts });
  }

  private async run(step: MigrationStep, doing: string): Promise<void> {
    this.tell("store.migrate.step", `The schema is changed: ${doing}`, { step: doing });
    if ("index" in step) return new ConcurrentIndex(this, this.context.schema, step).make();
    const sql = step.sql.replaceAll("@", `${this.context.schema}.`);
    if (step.eachPartitionOf === undefined) return this.transaction(doing, sql);
    for (const partition of await this.partitionsOf(step.eachPartitionOf)) {
      await this.transaction(`${doing}, ${partition}`, sql.replaceAll("#", `${this.context.schema}.${partition}`));
    }
  }

  /** Lifts the role's own limits: an index on a large table takes long and must not be ended by them. */
  private async lengthenLimits(): Promise<void> {
    if (this.context.setsSession) await this.query("SET statement_timeout = 0; SET lock_timeout = 0");
  }

  private refuseOlderNodes(oldest: string): Promise<void> {
    return this.transaction(
      `nodes that do not know ${oldest} are refused`,
      `UPDATE ${this.context.schema}.compatibility SET oldest_migration = greatest(oldest_migration, ${instantOf(oldest)})`,
    );
  }

  private async tellWait({ doing, pauseMs, sqlState }: { doing: string; pauseMs: number; sqlState: string | null }) {
    const inTheWay = await this.query(HOLDERS, [this.context.schema.slice(1, -1)]);
    const names = inTheWay.map(
      ({ pid, name, seconds }) => `${name as string} (pid ${pid as number}, ${seconds as number} s)`,
    );
    const who = names.length === 0 ? "a lock" : `transactions that are open: ${names.join(", ")}`;
    this.context.telemetry.emit({
      name: "store.migrate.waiting",
      level: "warn",
      message: `A change of the schema waits for ${who}; it is tried again in ${pauseMs} ms: ${doing}`,
      facts: { step: doing, pauseMs, sqlState, inTheWay },
    });
  }
}

/** The oldest transactions that hold locks on tables of this schema. */
const HOLDERS = `
  SELECT a.pid, coalesce(nullif(a.application_name, ''), 'unnamed') AS name,
         round(extract(epoch FROM clock_timestamp() - a.xact_start))::float8 AS seconds
    FROM pg_stat_activity a
   WHERE a.pid <> pg_backend_pid() AND a.xact_start IS NOT NULL AND EXISTS (
           SELECT FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE l.pid = a.pid AND l.granted AND n.nspname = $1)
   ORDER BY a.xact_start LIMIT 3`;
