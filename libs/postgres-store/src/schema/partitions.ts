import {
  type EpochMs,
  type MaintenanceFailure,
  type MaintenanceReply,
  type Retention,
  TickwheelError,
} from "@tickwheel/core";
import { SQL_STATE, sqlStateOf } from "../connection/driver-errors.js";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { QuotedSchema, Session, Statement } from "../connection/session.js";
import type { EffectUpkeep } from "./effect-upkeep.js";
import { forgetBatches } from "../statements/batches/forget-batches.js";
import { dropTypes } from "../statements/types/drop-types.js";
import { forgetClusterEvents } from "../statements/upkeep/forget-cluster-events.js";
import { forgetOldRows } from "../statements/upkeep/forget-old-rows.js";
import { keepTypes } from "../statements/types/keep-types.js";
import { listPartitions } from "../statements/upkeep/list-partitions.js";
import { listUnidentified } from "../statements/upkeep/list-unidentified.js";
import { lockMaintenance } from "../statements/upkeep/lock-maintenance.js";
import { readNow } from "../statements/server/now.js";
import { type OwnerNames, readOwner } from "../statements/upkeep/read-owner.js";

const DAY_MS = 86_400_000;
const DAYS_AHEAD = 7;
/**
 * Making and dropping partitions locks the whole table. While such a change waits, everybody waits behind it, so it
 * gives up soon and is tried again.
 */
const LOCK_TIMEOUT_MS = 100;
/**
 * How many rows of each table one transaction forgets. With large payloads these are tens of thousands of chunks, which
 * still takes far less than a second.
 */
const FORGET_BATCH = 1_000;
/** Most transactions of one call, so that it ends. The caller is then told to come again. */
const MAX_FORGET_BATCHES = 100;

type PartitionedTable = "history" | "journal";
const TABLES: readonly PartitionedTable[] = ["history", "journal"];

/** A partition for one day. */
export interface Partition {
  name: string;
  table: PartitionedTable;
  /** Since the epoch. */
  day: number;
}

/** The partitions of today and the days after it that are missing. */
export async function missingPartitions(
  session: Session,
  { asOf, daysAhead = DAYS_AHEAD }: { asOf: EpochMs | null; daysAhead?: number },
): Promise<Partition[]> {
  const [now] = await session.run(readNow, { asOf });
  const existing = new Set(await session.run(listPartitions, null));
  const today = Math.floor(now! / DAY_MS);
  const days = Array.from({ length: daysAhead + 1 }, (_, ahead) => today + ahead);
  return TABLES.flatMap((table) => days.map((day) => ({ name: partitionName(table, day), table, day }))).filter(
    ({ name }) => !existing.has(name),
  );
}

export function createPartitionSql(schema: QuotedSchema, { name, table, day }: Partition): string {
  return `
    CREATE TABLE IF NOT EXISTS ${schema}.${name} PARTITION OF ${schema}.${table}
       FOR VALUES FROM ('${isoDay(day)} 00:00:00+00') TO ('${isoDay(day + 1)} 00:00:00+00')`;
}

/** Makes the whole old row identify a partition's row where the table is published. */
export function identifySql(schema: QuotedSchema, partition: string): string {
  return `ALTER TABLE ${schema}.${partition} REPLICA IDENTITY FULL`;
}

/** The settings of one call of upkeep. */
type Upkeep = Retention & { asOf: EpochMs | null };

/**
 * Makes partitions ahead, drops partitions past their retention and deletes old rows, in short transactions. One
 * process does this at a time; others do nothing. A refused step does not hold up the others: a role without the right
 * to make tables still forgets old rows.
 */
export async function maintainPartitions(
  database: PostgresDatabase,
  upkeep: Upkeep,
  effects: EffectUpkeep,
): Promise<MaintenanceReply> {
  const reply: MaintenanceReply = { created: [], dropped: [], droppedTypes: [], hasMore: false, failed: [] };
  const steps: Record<MaintenanceFailure["step"], () => Promise<void>> = {
    create: () => createPartitions(database, upkeep, reply.created),
    identify: () => identifyRows(database),
    drop: () => dropPartitions(database, upkeep, reply.dropped),
    forget: async () => {
      reply.hasMore = true;
      for (let batch = 0; reply.hasMore && batch < MAX_FORGET_BATCHES; batch++) {
        reply.hasMore = await forgetBatch(database, upkeep);
      }
      reply.hasMore = (await effects.forget(upkeep)) || reply.hasMore;
    },
    types: async () => {
      reply.droppedTypes = await dropUnusedTypes(database, upkeep);
    },
  };
  for (const [step, work] of Object.entries(steps)) {
    await work().catch(async (error: unknown) => {
      reply.hasMore = false;
      const name = step as MaintenanceFailure["step"];
      reply.failed.push({ step: name, error: await withCure(database, name, error) });
    });
  }
  return reply;
}

async function createPartitions(database: PostgresDatabase, { asOf }: Upkeep, created: string[]): Promise<void> {
  for (const partition of await missingPartitions(database, { asOf })) {
    const { name } = partition;
    const create = command(`create_${name}`, (schema) => createPartitionSql(schema, partition));
    const identify = command(`identify_${name}`, (schema) => identifySql(schema, name));
    if (await change(database, create, identify)) created.push(name);
  }
}

/** Identifies the rows of partitions that nodes of an older release have made. */
async function identifyRows(database: PostgresDatabase): Promise<void> {
  for (const name of await database.run(listUnidentified, null)) {
    await change(
      database,
      command(`identify_${name}`, (schema) => identifySql(schema, name)),
    );
  }
}

async function dropPartitions(database: PostgresDatabase, upkeep: Upkeep, dropped: string[]): Promise<void> {
  const { asOf, historyRetentionDays, deadRetentionDays } = upkeep;
  const [now] = await database.run(readNow, { asOf });
  const keptDays = { history: historyRetentionDays, journal: Math.max(historyRetentionDays, deadRetentionDays) };
  for (const name of await database.run(listPartitions, null)) {
    const partition = parsePartitionName(name);
    if (!partition || partition.endsAt > now! - keptDays[partition.table] * DAY_MS) continue;
    const drop = command(`drop_${name}`, (schema) => `DROP TABLE IF EXISTS ${schema}.${name}`);
    if (await change(database, drop)) dropped.push(name);
  }
}

/** The error, with the right cure for this step if the role lacked a privilege. */
async function withCure(
  database: PostgresDatabase,
  step: MaintenanceFailure["step"],
  error: unknown,
): Promise<TickwheelError> {
  if (!(error instanceof TickwheelError)) throw error;
  if (sqlStateOf(error) !== SQL_STATE.insufficientPrivilege) return error;
  const [names] = await database.run(readOwner, null);
  if (!names) return error;
  const cure = curesOf(names)[step];
  const message = error.message.replace(String(error.details.cure), cure);
  return new TickwheelError(error.code, message, { cause: error, details: { ...error.details, cure } });
}

function curesOf({ owner, role, schema }: OwnerNames): Record<MaintenanceFailure["step"], string> {
  const own = `GRANT ${owner} TO ${role}`;
  const rows = `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`;
  return {
    create: `Either ${own}, or let ${owner} make partitions ahead by \`migrate\` with \`partitionDaysAhead\`; until then rows go to the default partition`,
    identify: `Either ${own}, or let ${owner} run \`migrate\` with \`partitionDaysAhead\`; where tables are published, retries fail until then`,
    drop: `Either ${own}, or let ${owner} drop the partitions that are past their retention`,
    forget: rows,
    types: rows,
  };
}

async function dropUnusedTypes(database: PostgresDatabase, upkeep: Upkeep): Promise<string[]> {
  return database.transaction(async (session) => {
    const [locked] = await session.run(lockMaintenance, null);
    if (!locked) return [];
    await session.run(keepTypes, upkeep);
    return session.run(dropTypes, upkeep);
  });
}

/** Whether there may be more. */
async function forgetBatch(database: PostgresDatabase, retention: Upkeep): Promise<boolean> {
  const count = await database.transaction(async (session) => {
    const [locked] = await session.run(lockMaintenance, null);
    if (!locked) return 0;
    const [rows] = await session.run(forgetOldRows, { ...retention, limit: FORGET_BATCH });
    const [batches] = await session.run(forgetBatches, { ...retention, limit: FORGET_BATCH });
    const [events] = await session.run(forgetClusterEvents, { limit: FORGET_BATCH, asOf: retention.asOf });
    return Math.max(rows!, batches!, events!);
  });
  return count >= FORGET_BATCH;
}

/**
 * False: another process does the upkeep, the table is in use, or the default partition already has rows of that day.
 */
async function change(database: PostgresDatabase, ...statements: Statement<null, never>[]): Promise<boolean> {
  const attempt = async (): Promise<boolean> =>
    database.transaction(
      async (session) => {
        const [locked] = await session.run(lockMaintenance, null);
        for (const statement of locked ? statements : []) await session.run(statement, null);
        return locked === true;
      },
      { lockTimeoutMs: LOCK_TIMEOUT_MS },
    );
  return attempt().catch((error: unknown) => {
    const state = sqlStateOf(error);
    if (error instanceof TickwheelError && state !== null && EXPECTED.has(state)) return false;
    throw error;
  });
}

/**
 * Locks, and a day of which the default partition already holds rows. These rows stay there until their retention ends.
 */
const EXPECTED: ReadonlySet<string> = new Set([
  SQL_STATE.lockNotAvailable,
  SQL_STATE.deadlockDetected,
  SQL_STATE.checkViolation,
]);

function command(name: string, sql: (schema: string) => string): Statement<null, never> {
  return { name, isPrepared: false, sql, values: () => [], read: (row) => row as never };
}

function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

function partitionName(table: PartitionedTable, day: number): string {
  return `${table}_${isoDay(day).replaceAll("-", "")}`;
}

/** Null: it is the default partition, or not one of ours. */
function parsePartitionName(name: string): { table: PartitionedTable; endsAt: EpochMs } | null {
  const match = /^(history|journal)_(\d{4})(\d{2})(\d{2})$/.exec(name);
  if (!match) return null;
  const [, table, year, month, date] = match;
  return {
    table: table as PartitionedTable,
    endsAt: Date.UTC(Number(year), Number(month) - 1, Number(date)) + DAY_MS,
  };
}
