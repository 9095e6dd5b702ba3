import { Pool } from "pg";
import { summaryOf } from "./figures.js";

/** One execution's start, as the test application's handler recorded it; instants are of the database's clock. */
export interface Start {
  taskId: string;
  type: string;
  /** Pid of the process. */
  node: string;
  fence: number;
  attempt: number;
  atMs: number;
  dueAtMs: number;
  createdAtMs: number;
  /** When the handler was called, by its process's clock. Absent or null: not recorded. */
  calledAtMs?: number | null;
}

/** One execution's end. */
export interface End {
  taskId: string;
  node: string;
  fence: number;
  outcome: "done" | "failed";
  atMs: number;
  /** When its signal aborted it, by its process's clock; null: it did not. */
  abortedAtMs: number | null;
  /** When it returned, by the same clock; `atMs` is when that was written down. */
  returnedAtMs: number;
}

/** An effect, written in the transaction that completes the task. */
export interface Effect {
  taskId: string;
  node: string;
  fence: number;
  atMs: number;
}

/**
 * An occurrence of a schedule. `instant`: that it ran for, in epoch milliseconds; `missed`: those before it. `version`:
 * of its payload; null: it has none.
 */
export interface Occurred {
  taskId: string;
  schedule: string;
  instant: number;
  missed: number;
  version: string | null;
}

/** What happened in a test application's life, such as `database-closing`. */
export interface LifeEvent {
  node: string;
  event: string;
  atMs: number;
}

/**
 * Append-only. No constraint on a task or its execution, which could hide a double: `record_id` is new at each call of
 * the handler, and only keeps apart a second execution from a second try to write the record of the first.
 */
const TABLES = `
  CREATE TABLE started (record_id uuid PRIMARY KEY, task_id uuid, type text, node text, fence int, attempt int,
    due_at timestamptz, created_at timestamptz, called_at timestamptz, at timestamptz NOT NULL DEFAULT clock_timestamp());
  CREATE TABLE ended (record_id uuid PRIMARY KEY, task_id uuid, node text, fence int, outcome text,
    aborted_at timestamptz, returned_at timestamptz, at timestamptz NOT NULL DEFAULT clock_timestamp());
  CREATE TABLE effect (task_id uuid, node text, fence int, at timestamptz NOT NULL DEFAULT clock_timestamp());
  CREATE TABLE collected (task_id uuid, key text, n int);
  CREATE TABLE occurred (task_id uuid, schedule text, instant bigint, missed int, version text);
  CREATE TABLE life (node text, event text, at timestamptz NOT NULL DEFAULT clock_timestamp());`;

const ms = (column: string): string => `date_part('epoch', ${column}) * 1000`;

/** The test applications' own records of what ran. Tests trust only these. */
export class Ledger {
  readonly #pool: Pool;

  constructor(databaseUrl: string) {
    this.#pool = new Pool({ connectionString: databaseUrl, max: 4 });
    // A server that restarts ends idle connections; the next query takes a new one.
    this.#pool.on("error", () => {});
  }

  /** Makes the tables; once, before the first application starts. */
  async create(): Promise<void> {
    await this.#pool.query(TABLES);
  }

  /** What occurrences of schedules recorded in the transaction that completed them. */
  occurred(): Promise<Occurred[]> {
    return this.query<Occurred>(
      `SELECT task_id::text AS "taskId", schedule, instant::float8 AS instant, missed, version FROM occurred`,
    );
  }

  starts(): Promise<Start[]> {
    return this.query<Start>(`SELECT task_id::text AS "taskId", type, node, fence, attempt, ${ms("at")} AS "atMs",
      ${ms("due_at")} AS "dueAtMs", ${ms("created_at")} AS "createdAtMs",
      ${ms("called_at")} AS "calledAtMs" FROM started ORDER BY at`);
  }

  ends(): Promise<End[]> {
    return this.query<End>(
      `SELECT task_id::text AS "taskId", node, fence, outcome, ${ms("at")} AS "atMs",
        ${ms("aborted_at")} AS "abortedAtMs", ${ms("returned_at")} AS "returnedAtMs" FROM ended ORDER BY at`,
    );
  }

  effects(): Promise<Effect[]> {
    return this.query<Effect>(
      `SELECT task_id::text AS "taskId", node, fence, ${ms("at")} AS "atMs" FROM effect ORDER BY at`,
    );
  }

  life(): Promise<LifeEvent[]> {
    return this.query<LifeEvent>(`SELECT node, event, ${ms("at")} AS "atMs" FROM life ORDER BY at`);
  }

  /** The tasks whose executions by this node have started and not ended. */
  async runningOn(node: string): Promise<string[]> {
    const rows = await this.query<{ id: string }>(
      `SELECT s.task_id AS id FROM started s WHERE node = '${node}'
        AND NOT EXISTS (SELECT FROM ended e WHERE e.task_id = s.task_id AND e.fence = s.fence)`,
    );
    return rows.map(({ id }) => id);
  }

  /** The database's clock, as epoch milliseconds. */
  async now(): Promise<number> {
    const [row] = await this.query<{ at: number }>(`SELECT ${ms("clock_timestamp()")} AS at`);
    return row!.at;
  }

  /** When this run of the server began, by the same clock. */
  async serverStartedAt(): Promise<number> {
    const [row] = await this.query<{ at: number }>(`SELECT ${ms("pg_postmaster_start_time()")} AS at`);
    return row!.at;
  }

  async query<Row>(sql: string): Promise<Row[]> {
    return (await this.#pool.query(sql)).rows as Row[];
  }

  async stop(): Promise<void> {
    await this.#pool.end();
  }
}

/** How late executions started: after the later of due and created, in milliseconds. */
export function latenessMs(start: Start): number {
  return start.atMs - Math.max(start.dueAtMs, start.createdAtMs);
}

/** p50, p99 and max of the lateness of these starts. */
export function latenessOf(starts: readonly Start[]): ReturnType<typeof summaryOf> {
  return summaryOf(starts.map(latenessMs));
}

/** The first start of each task. */
export function firstStarts(starts: readonly Start[]): Start[] {
  const first = new Map<string, Start>();
  for (const start of starts) {
    const known = first.get(start.taskId);
    if (!known || start.atMs < known.atMs) first.set(start.taskId, start);
  }
  return [...first.values()];
}
