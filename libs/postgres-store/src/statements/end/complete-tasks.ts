import { type EpochMs, type ExecutionRef, type LatenessParts, type NewTask, SKIPPED } from "@tickwheel/core";
import { isMarkedFor } from "../../sql/handler-session-name.js";
import { latenessPartsText } from "../../sql/lateness-sql.js";
import { asOf, json, lockLimit, ofEach, parameters, plain, rows } from "../../sql/parameters.js";
import { arrayRows, epochMs, instant, intoHistory, now, numbered, stateById } from "../../sql/sql-fragments.js";
import type { QuotedSchema, RawRow, Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { leasesGo } from "./leases-go.js";
import { insertSql, newRow, SENT_WITH_TAGS } from "../create/new-rows.js";

/** What of a completion the statement takes. */
export interface SuccessfulEnd extends ExecutionRef {
  startedAt: EpochMs;
  /** Absent: not measured. */
  latenessParts?: LatenessParts | null;
  /** JSON; null: JSON's null; {@link NO_CALL}: its handler was not called. */
  result: string | null;
  /** Absent: it is no member of a batch. */
  isMember?: boolean;
  /** Absent: it has spawned none. */
  spawned?: readonly NewTask[];
}

/** In place of a result: the task was skipped. It is no JSON, so no result is the same. */
export const NO_CALL = "";

export interface CompleteTasks {
  completions: readonly SuccessfulEnd[];
  /** Null in a handler's own transaction: wait without limit, and then commit within {@link COMMIT_LIMIT_MS}. */
  lockTimeoutMs: number | null;
  asOf: EpochMs | null;
}

/**
 * How long a handler's transaction may be idle once it has completed its task, in milliseconds. It is longer than a
 * loop may be blocked before its node is declared dead. Then the server ends the transaction. Otherwise a node that is
 * cut off between the completion and the commit would hold the row, and nobody could reap the task.
 */
export const COMMIT_LIMIT_MS = 5_000;

/** What became of a batch of completions. */
export interface CompletedBatch {
  /** When they ended; null: none did. */
  finishedAt: EpochMs | null;
  /** The executions that ended their tasks, by {@link nameOf}. Null: all of the batch did, as almost always. */
  ended: ReadonlySet<string> | null;
}

/** The name of an execution in a {@link CompletedBatch}. */
export function nameOf({ id, owner, fence }: ExecutionRef): string {
  return `${id}/${owner}/${fence}`;
}

const EXECUTION = {
  id: plain<ExecutionRef>("uuid", ({ id }) => id),
  owner: plain<ExecutionRef>("bigint", ({ owner }) => owner),
  fence: plain<ExecutionRef>("integer", ({ fence }) => fence),
};
const COMPLETIONS = {
  asOf,
  lockLimit,
  completions: rows(({ completions }: CompleteTasks) => completions, {
    ...EXECUTION,
    started_ms: plain("float8", ({ startedAt }) => startedAt),
    outcome: json("text", ({ result }) => result),
    run_lateness_parts: plain("text", ({ latenessParts }) => latenessPartsText(latenessParts)),
  }),
};
const [p, completionValues] = parameters<CompleteTasks>()(COMPLETIONS);
/** For tasks that leave no row, nothing else is sent. */
const [forgotten, forgottenValues] = parameters<CompleteTasks>()({
  asOf,
  lockLimit,
  completions: rows(({ completions }: CompleteTasks) => completions, EXECUTION),
});

/** A spawned task and the execution that has spawned it: of two of one task, only one has ended it. */
interface Spawned extends ExecutionRef {
  task: NewTask;
}

const [members, memberValues] = parameters<CompleteTasks>()({
  ...COMPLETIONS,
  spawned: rows(({ completions }: CompleteTasks) => completions.flatMap(spawnedOf), {
    ...ofEach(({ task }: Spawned) => task, SENT_WITH_TAGS),
    parent: plain("uuid", ({ id }) => id),
    parent_owner: plain("bigint", ({ owner }) => owner),
    parent_fence: plain("integer", ({ fence }) => fence),
  }),
});

function spawnedOf({ id, owner, fence, spawned = [] }: SuccessfulEnd): Spawned[] {
  return spawned.map((task) => ({ id, owner, fence, task }));
}

/**
 * Ends executions as `succeeded`, each only while it is running under its owner and fence. A cancel request makes no
 * difference. One that was skipped has its reason from its result. The guard stands in the DELETE, so it holds for the
 * row's newest version after any wait for a lock. The answer is one row: it names the executions only if some of the
 * batch ended no task.
 *
 * The rows go to history at once: one more version in the live table, moved a little later, would cost as much as the
 * claim. The row itself is the journal. Plan: one probe of the primary key per row.
 */
export const completeTasks: Statement<CompleteTasks, CompletedBatch> = {
  name: "complete_tasks",
  sql: (schema) => textOf(schema, WAITING),
  values: completionValues,
  read: readBatch,
};

/** The same, but it skips rows that others have locked. */
export const completeUnlockedTasks: Statement<CompleteTasks, CompletedBatch> = {
  ...completeTasks,
  name: "complete_unlocked_tasks",
  sql: (schema) => textOf(schema, skippingLocked(schema)),
};

/**
 * The same where some of the tasks are members of batches, or have spawned tasks: it tallies the members, and writes
 * the spawned tasks of those that it really ended, as members of the same batch and shard. So a batch never looks
 * complete between a member and what it spawned.
 */
export const completeMembers: Statement<CompleteTasks, CompletedBatch> = {
  ...completeTasks,
  name: "complete_members",
  sql: (schema) => textOf(schema, { ...WAITING, more: forMembers(schema) }),
  values: memberValues,
};

/** The same, but it skips rows that others have locked. */
export const completeUnlockedMembers: Statement<CompleteTasks, CompletedBatch> = {
  ...completeMembers,
  name: "complete_unlocked_members",
  sql: (schema) => textOf(schema, { ...skippingLocked(schema), more: forMembers(schema) }),
};

/** {@link completeMembers} of pulled tasks: their leases go. */
export const completePulled: Statement<CompleteTasks, CompletedBatch> = {
  ...completeMembers,
  name: "complete_pulled",
  sql: (schema) => textOf(schema, { ...WAITING, more: forPulled(schema) }),
};

/** The same, but it skips rows that others have locked. */
export const completeUnlockedPulled: Statement<CompleteTasks, CompletedBatch> = {
  ...completePulled,
  name: "complete_unlocked_pulled",
  sql: (schema) => textOf(schema, { ...skippingLocked(schema), more: forPulled(schema) }),
};

/** {@link completeTasks} in a handler's own transaction, if that is still the one that was marked. */
export const completeMarkedTasks: Statement<CompleteTasks, CompletedBatch> = {
  ...completeTasks,
  name: "complete_marked_tasks",
  sql: (schema) => textOf(schema, MARKED),
};

/** {@link completeMembers} in such a transaction. */
export const completeMarkedMembers: Statement<CompleteTasks, CompletedBatch> = {
  ...completeMembers,
  name: "complete_marked_members",
  sql: (schema) => textOf(schema, { ...MARKED, more: forMembers(schema) }),
};

/** {@link completeTasks} of tasks that nobody wants to keep: their rows only go. */
export const completeAndForget: Statement<CompleteTasks, CompletedBatch> = {
  ...completeTasks,
  name: "complete_and_forget",
  sql: (schema) => textOf(schema, { ...WAITING, isForgotten: true }),
  values: forgottenValues,
};

/** The same, but it skips rows that others have locked. */
export const completeUnlockedAndForget: Statement<CompleteTasks, CompletedBatch> = {
  ...completeAndForget,
  name: "complete_unlocked_and_forget",
  sql: (schema) => textOf(schema, { ...skippingLocked(schema), isForgotten: true }),
};

/** {@link completeAndForget} in a handler's own transaction, if that is still the one that was marked. */
export const completeMarkedAndForget: Statement<CompleteTasks, CompletedBatch> = {
  ...completeAndForget,
  name: "complete_marked_and_forget",
  sql: (schema) => textOf(schema, { ...MARKED, isForgotten: true }),
};

/** How the rows are taken, and what is done besides. */
interface Text {
  first: string;
  condition: string;
  more?: string;
  /** Default: they are kept in history. */
  isForgotten?: boolean;
}
const WAITING: Text = { first: "", condition: "true" };
const MARKED: Text = { first: "", condition: isMarkedFor("r") };

/**
 * `coalesce` keeps the planner from a join with `unlocked`, which it guesses to be so small that it compares all pairs.
 */
function skippingLocked(schema: QuotedSchema): Text {
  return { first: unlocked(schema), condition: "coalesce(t.id IN (SELECT id FROM unlocked), false)" };
}

const CHILD = insertSql({
  ...newRow("r.now"),
  tags: "r.tags::text[]",
  batch_id: "r.batch_id",
  shard_index: "r.shard_index",
  shard_total: "r.shard_total",
});

function forMembers(schema: QuotedSchema): string {
  return `,
    children AS MATERIALIZED (
      SELECT r.*, c.batch_id, c.shard_index, c.shard_total, c.now
        FROM completed c
        JOIN ${numbered(members.spawned, "place")}
          ON r.parent = c.id AND r.parent_owner = c.owner AND r.parent_fence = c.fence
    ),
    spawned AS (
      INSERT INTO ${schema}.task (${CHILD.columns})
      SELECT ${CHILD.values} FROM children r
    ),
    tallied AS (
      INSERT INTO ${schema}.batch_tally (batch_id, total, succeeded)
      SELECT e.batch_id, sum(e.total), sum(e.succeeded)
        FROM (SELECT batch_id, 0 AS total, 1 AS succeeded FROM completed UNION ALL SELECT batch_id, 1, 0 FROM children) e
       WHERE e.batch_id IS NOT NULL GROUP BY e.batch_id
    )`;
}

function forPulled(schema: QuotedSchema): string {
  return `${forMembers(schema)},
    ${leasesGo(schema, { ended: "completed", fence: "e.fence", many: members.completions })}`;
}

function unlocked(schema: QuotedSchema): string {
  return `
    unlocked AS MATERIALIZED (SELECT t.id FROM ${schema}.task t WHERE t.id = ANY (${p.completions.arrays[0]}) FOR UPDATE SKIP LOCKED),`;
}

function limits(lockTimeoutMs: string): string {
  return `
    SELECT CASE WHEN ${lockTimeoutMs}::text IS NOT NULL THEN set_config('lock_timeout', ${lockTimeoutMs}::text, true)
                ELSE set_config('idle_in_transaction_session_timeout', '${COMMIT_LIMIT_MS}', true) END AS set`;
}

function textOf(schema: QuotedSchema, { first, condition, more = "", isForgotten = false }: Text): string {
  const given = isForgotten ? forgotten : p;
  const returned = isForgotten
    ? "t.id, t.owner, t.fence, clock.now_ms"
    : "t.*, clock.now, clock.now_ms, r.started_ms, r.outcome, r.run_lateness_parts";
  const kept = isForgotten
    ? ""
    : `,
    kept AS (${intoHistory(schema, "completed", COMPLETED)})`;
  return `
    WITH ${first}
    clock AS MATERIALIZED (
      SELECT c.now, floor(${epochMs("c.now")})::bigint AS now_ms, guard.set FROM (SELECT ${now(given.asOf)} AS now) c, (${limits(given.lockLimit)}) guard
    ),
    completed AS (
      DELETE FROM ${schema}.task t USING clock CROSS JOIN ${arrayRows(given.completions)}
       WHERE t.id = r.id AND ${stateById("t")} = ${STATE.running} AND t.owner = r.owner AND t.fence = r.fence AND ${condition}
      RETURNING ${returned}
    )${kept}${more}
    SELECT max(t.now_ms)::float8 AS finished_ms,
           CASE WHEN count(*) < cardinality(${given.completions.arrays[0]}) THEN (SELECT json_agg(concat_ws('/', e.id, e.owner, e.fence))::text FROM completed e) END AS ended
      FROM completed t`;
}

function readBatch({ finished_ms: finishedMs, ended }: RawRow): CompletedBatch {
  if (finishedMs === null) return { finishedAt: null, ended: new Set() };
  return {
    finishedAt: Number(finishedMs),
    ended: ended === null ? null : new Set(JSON.parse(ended as string) as string[]),
  };
}

const COMPLETED = {
  state: String(STATE.succeeded),
  key_live: "false",
  reason: `CASE completed.outcome WHEN '${NO_CALL}' THEN '${SKIPPED}' END`,
  result: `nullif(completed.outcome, '${NO_CALL}')::json`,
  finished_at: "completed.now",
  started_at: instant("completed.started_ms"),
  lateness_parts: "completed.run_lateness_parts",
};
