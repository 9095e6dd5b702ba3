import { type EpochMs, type MaintenanceReply, type Retention, TickwheelError } from "@tickwheel/core";
import { SQL_STATE, sqlStateOf } from "./driver-errors.js";
import type { PostgresDatabase } from "./postgres-database.js";
import type { Session, Statement } from "./session.js";
import { dropTypes } from "./statements/drop-types.js";
import { forgetOldRows } from "./statements/forget-old-rows.js";
import { keepTypes } from "./statements/keep-types.js";
import { listPartitions } from "./statements/list-partitions.js";
import { lockMaintenance } from "./statements/lock-maintenance.js";
import { readNow } from "./statements/now.js";

const DAY_MS = 86_400_000;
const DAYS_AHEAD = 7;
/** Making and dropping partitions locks the whole table: better tried again than waited for while everybody waits behind it. */
const LOCK_TIMEOUT_MS = 100;
/** Rows of each table that one transaction forgets: tens of thousands of chunks, if their payloads are large, and still far below a second. */
const FORGET_BATCH = 1_000;
/** Transactions of one call, so that it ends; then the caller is told to come again. */
const MAX_FORGET_BATCHES = 100;

type PartitionedTable = "history" | "journal";
const TABLES: readonly PartitionedTable[] = ["history", "journal"];

/** The partitions of today and the next week that are missing, and the statements that make them. */
export async function missingPartitions(
  session: Session,
  asOf: EpochMs | null,
): Promise<{ name: string; create: Statement<null, never> }[]> {
  const [now] = await session.run(readNow, { asOf });
  const existing = new Set(await session.run(listPartitions, null));
  const today = Math.floor(now! / DAY_MS);
  const days = Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) => today + ahead);
  return TABLES.flatMap((table) =>
    days.map((day) => ({ name: partitionName(table, day), create: createPartition(table, day) })),
  ).filter(({ name }) => !existing.has(name));
}

/** Partitions ahead, partitions past their retention, old rows, in short transactions. One process at a time, others do nothing. */
export async function maintainPartitions(
  database: PostgresDatabase,
  { asOf, ...retention }: Retention & { asOf: EpochMs | null },
): Promise<MaintenanceReply> {
  const created: string[] = [];
  for (const { name, create } of await missingPartitions(database, asOf)) {
    if (await change(database, create)) created.push(name);
  }
  const dropped = await dropPartitions(database, { asOf, ...retention });
  let hasMore = true;
  for (let batch = 0; hasMore && batch < MAX_FORGET_BATCHES; batch++) {
    hasMore = await forgetBatch(database, { asOf, ...retention });
  }
  return { created, dropped, hasMore, droppedTypes: await dropUnusedTypes(database, { asOf, ...retention }) };
}

async function dropUnusedTypes(
  database: PostgresDatabase,
  retention: Retention & { asOf: EpochMs | null },
): Promise<string[]> {
  return database.transaction(async (session) => {
    const [locked] = await session.run(lockMaintenance, null);
    if (!locked) return [];
    await session.run(keepTypes, retention);
    return session.run(dropTypes, retention);
  });
}

async function dropPartitions(
  database: PostgresDatabase,
  { asOf, historyRetentionDays, deadRetentionDays }: Retention & { asOf: EpochMs | null },
): Promise<string[]> {
  const [now] = await database.run(readNow, { asOf });
  const keptDays = { history: historyRetentionDays, journal: Math.max(historyRetentionDays, deadRetentionDays) };
  const dropped: string[] = [];
  for (const name of await database.run(listPartitions, null)) {
    const partition = parsePartitionName(name);
    if (!partition || partition.endsAt > now! - keptDays[partition.table] * DAY_MS) continue;
    const drop = command(`drop_${name}`, (schema) => `DROP TABLE IF EXISTS ${schema}.${name}`);
    if (await change(database, drop)) dropped.push(name);
  }
  return dropped;
}

/** Whether there may be more. */
async function forgetBatch(
  database: PostgresDatabase,
  retention: Retention & { asOf: EpochMs | null },
): Promise<boolean> {
  const count = await database.transaction(async (session) => {
    const [locked] = await session.run(lockMaintenance, null);
    return locked ? (await session.run(forgetOldRows, { ...retention, limit: FORGET_BATCH }))[0]! : 0;
  });
  return count >= FORGET_BATCH;
}

/** False: another process is at it, the table is in use just now, or the default partition already has rows of that day. */
async function change(database: PostgresDatabase, statement: Statement<null, never>): Promise<boolean> {
  const attempt = async (): Promise<boolean> =>
    database.transaction(
      async (session) => {
        const [locked] = await session.run(lockMaintenance, null);
        if (locked) await session.run(statement, null);
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

/** Besides locks: a day that the default partition holds rows of. They stay there until their retention ends. */
const EXPECTED: ReadonlySet<string> = new Set([
  SQL_STATE.lockNotAvailable,
  SQL_STATE.deadlockDetected,
  SQL_STATE.checkViolation,
]);

function createPartition(table: PartitionedTable, day: number): Statement<null, never> {
  const name = partitionName(table, day);
  return command(
    `create_${name}`,
    (schema) => `
      CREATE TABLE IF NOT EXISTS ${schema}.${name} PARTITION OF ${schema}.${table}
         FOR VALUES FROM ('${isoDay(day)} 00:00:00+00') TO ('${isoDay(day + 1)} 00:00:00+00')`,
  );
}

function command(name: string, sql: (schema: string) => string): Statement<null, never> {
  return { name, isPrepared: false, sql, values: () => [], read: (row) => row as never };
}

function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

function partitionName(table: PartitionedTable, day: number): string {
  return `${table}_${isoDay(day).replaceAll("-", "")}`;
}

/** Null: the default partition, or none of ours. */
function parsePartitionName(name: string): { table: PartitionedTable; endsAt: EpochMs } | null {
  const match = /^(history|journal)_(\d{4})(\d{2})(\d{2})$/.exec(name);
  if (!match) return null;
  const [, table, year, month, date] = match;
  return {
    table: table as PartitionedTable,
    endsAt: Date.UTC(Number(year), Number(month) - 1, Number(date)) + DAY_MS,
  };
}
