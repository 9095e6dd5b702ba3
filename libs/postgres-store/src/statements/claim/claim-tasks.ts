import {
  type BootId,
  type ClaimedTask,
  type Delivery,
  type EpochMs,
  type Membership,
  type PausedKey,
  SCHEDULE_KEY,
} from "@tickwheel/core";
import { withChange } from "../../sql/journal-sql.js";
import { asOf, parameters, plain, rows, typed } from "../../sql/parameters.js";
import { arrayRows, now, span, stateById, taskNumbers, unnested } from "../../sql/sql-fragments.js";
import type { QuotedSchema, RawRow, Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import type { TaskColumn } from "../../sql/task-columns.js";
import { numberAt, placesOf, readBackoff, readJson, readNumbers, readPayload, readText } from "../../sql/task-rows.js";

export interface ClaimTasks {
  owner: BootId;
  ids: readonly string[];
  claimAheadMs: number;
  /** The reply's tasks are added up in bytes; payloads beyond this sum are left out. */
  replyBytes: number;
  asOf: EpochMs | null;
}
/** One claimed task, or null for none. `fenced`: the node's row is not live. */
export interface ClaimRow {
  fenced: boolean;
  task: ClaimedTask | null;
  /** The payload is not in this row and must be read separately. */
  isPayloadLeftOut: boolean;
}

/** The columns of the reply. Any other column would be carried through the statement for nothing. */
const CLAIMED = [
  "id",
  "type_id",
  "key",
  "fence",
  "attempt",
  "max_attempts",
  "crash_count",
  "snooze_count",
  "priority",
  "timeout_ms",
  "scheduled_at",
  "due_at",
  "created_at",
  "claimed_at",
  "backoff",
  "delivery",
  "payload",
  "batch_id",
  "shard_index",
  "shard_total",
] as const satisfies readonly TaskColumn[];
/** The batch of a member, and its shard if it has one, with spaces between; null: it is no member. */
const MEMBER = "CASE WHEN t.batch_id IS NOT NULL THEN concat_ws(' ', t.batch_id, t.shard_index, t.shard_total) END";
const NUMBERS = [
  ...([
    "type_id",
    "fence",
    "attempt",
    "max_attempts",
    "crash_count",
    "snooze_count",
    "priority",
    "timeout_ms",
  ] as const),
  ...(["scheduled_at", "due_at", "created_at", "claimed_at"] as const),
] satisfies (typeof CLAIMED)[number][];
const AT = placesOf(NUMBERS);

const [p, values] = parameters<ClaimTasks>()({
  asOf,
  owner: typed("bigint", ({ owner }) => owner),
  ids: rows(({ ids }: ClaimTasks) => ids, { id: plain("uuid", (id) => id) }),
  claimAheadMs: ({ claimAheadMs }) => claimAheadMs,
  replyBytes: typed("float8", ({ replyBytes }) => replyBytes),
});

export interface ClaimBesidePausedKeys extends ClaimTasks {
  pausedKeys: readonly PausedKey[];
}

/** Behind those of the plain claim. */
const PAUSED_KEYS = { arrays: ["$6::integer[]", "$7::text[]"], names: "type_id, key" };

/** Locks this node's row. */
function me(schema: QuotedSchema): string {
  return `me AS MATERIALIZED (
      SELECT boot_id FROM ${schema}.node WHERE boot_id = ${p.owner} AND state = 'live' FOR KEY SHARE
    )`;
}

/** Which rows `t` of the ids can be claimed. */
const CLAIMABLE = `${stateById("t")} = ${STATE.scheduled} AND t.due_at <= clock.now + ${span(p.claimAheadMs)}
         AND (t.started_at IS NULL AND t.start_deadline_at < clock.now) IS NOT TRUE`;

/** Claims the rows of `picked`, which are locked, and makes the reply. */
function claimed(schema: QuotedSchema): string {
  return `claimed AS (
      UPDATE ${schema}.task t
         SET state = ${STATE.running}, owner = ${p.owner}, fence = t.fence + 1, attempt = t.attempt + 1, claimed_at = picked.now
        FROM picked
       WHERE t.id = picked.id AND ${stateById("t")} = ${STATE.scheduled}
      RETURNING ${CLAIMED.map((column) => `t.${column}`).join(", ")}
    ),
    sized AS (
      SELECT c.*, sum(256 + coalesce(octet_length(c.payload::text), 0) + coalesce(octet_length(c.delivery::text), 0))
                    OVER (ROWS UNBOUNDED PRECEDING) > ${p.replyBytes} AND c.payload IS NOT NULL AS payload_left_out
        FROM claimed c
    )
    SELECT node.fenced, t.id::text AS id, t.key, ${taskNumbers(NUMBERS)} AS numbers,
           t.backoff::text AS backoff, t.delivery::text AS delivery, t.payload_left_out, ${MEMBER} AS member,
           CASE WHEN NOT t.payload_left_out THEN t.payload::text END AS payload
      FROM (SELECT NOT EXISTS (SELECT FROM me) AS fenced) node LEFT JOIN sized t ON true`;
}

/**
 * The claim: it alone decides who runs a task. It is one statement, so one transaction in one round trip.
 *
 * `me` locks the node row `FOR KEY SHARE`. It waits while somebody holds the row `FOR UPDATE`, and then *checks the
 * state again on the newest version*: a node that was declared dead or began to drain meanwhile finds no row and claims
 * nothing. Conversely, a death verdict waits for this statement's commit. A join on the node's state alone would be no
 * fence, since it reads the statement's old snapshot. Everything else depends on `me`, so no task is locked and no
 * clock is read before it.
 *
 * `picked` is materialised (a sub-select with SKIP LOCKED may be run again and take more) and locks each row in its
 * newest version.
 *
 * The reply is sent while the locks are still held, so it is kept small: a paused client that does not read it would
 * keep its node row locked.
 *
 * Plan: one probe of the primary key per id, twice. The ids are joined, not compared with ANY. With ANY the planner
 * would guess their number, find each single claim cheaper than that guess and plan it anew, which costs twice as much
 * as running it. About 150,000 rows/s.
 */
export const claimTasks: Statement<ClaimTasks, ClaimRow> = {
  name: "claim_tasks",
  sql: (schema) => `
    WITH ${me(schema)},
    clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now FROM me),
    picked AS MATERIALIZED (
      SELECT t.id, clock.now FROM clock CROSS JOIN ${arrayRows(p.ids)} JOIN ${schema}.task t ON t.id = r.id
       WHERE ${CLAIMABLE}
         FOR UPDATE OF t SKIP LOCKED
    ),
    ${claimed(schema)}`,
  values,
  read: readClaim,
};

const NOTED = { at: "f.now", reason: "'PAUSED'", actor: "f.paused_by", count: "1", to: String(STATE.paused) };

/**
 * The claim where keys of its types may be paused: a task of a paused key becomes paused, and the others are claimed.
 *
 * `paused` locks the rows of the pauses. So it waits for whoever is ending one, and then sees that it has ended; and an
 * end waits for this claim, so whatever a claim pauses was paused before the end. The clock is read after that. The
 * tasks of a key that is paused by no row any more are claimed. An occurrence of a schedule is not paused [paused-key].
 *
 * Plan: that of the claim, and a probe of the index of pauses for each key.
 */
export const claimBesidePausedKeys: Statement<ClaimBesidePausedKeys, ClaimRow> = {
  name: "claim_beside_paused_keys",
  sql: (schema) => `
    WITH ${me(schema)},
    paused AS MATERIALIZED (
      SELECT s.type_id, s.key, s.until_at, s.paused_by
        FROM me CROSS JOIN ${unnested(PAUSED_KEYS, "k")} JOIN ${schema}.pause s ON s.type_id = k.type_id AND s.key = k.key
       ORDER BY s.id FOR SHARE OF s
    ),
    clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now FROM me, (SELECT count(*) FROM paused) locked),
    found AS MATERIALIZED (
      SELECT t.id, clock.now, s.paused_by
        FROM clock CROSS JOIN ${arrayRows(p.ids)} JOIN ${schema}.task t ON t.id = r.id
        LEFT JOIN paused s ON s.type_id = t.type_id AND s.key = t.key AND s.until_at > clock.now
         AND NOT starts_with(t.key, '${SCHEDULE_KEY}')
       WHERE ${CLAIMABLE}
         FOR UPDATE OF t SKIP LOCKED
    ),
    held AS (
      UPDATE ${schema}.task t
         SET state = ${STATE.paused}, paused_at = f.now, version = t.version + 1, notes = ${withChange("t", NOTED, () => "false")}
        FROM found f
       WHERE t.id = f.id AND f.paused_by IS NOT NULL AND ${stateById("t")} = ${STATE.scheduled}
    ),
    picked AS MATERIALIZED (SELECT id, now FROM found WHERE paused_by IS NULL),
    ${claimed(schema)}`,
  values: (request) => [...values(request), ...keyValues(request)],
  read: readClaim,
};

function keyValues({ pausedKeys }: ClaimBesidePausedKeys): unknown[] {
  return [pausedKeys.map(({ typeId }) => typeId), pausedKeys.map(({ key }) => key)];
}

function readClaim(row: RawRow): ClaimRow {
  return {
    fenced: row.fenced as boolean,
    isPayloadLeftOut: row.payload_left_out === true,
    task: row.id === null ? null : readClaimed(row),
  };
}

function readClaimed(row: RawRow): ClaimedTask {
  const numbers = readNumbers(row.numbers);
  return {
    id: row.id as string,
    owner: "",
    fence: numberAt(numbers, AT.fence),
    typeId: numberAt(numbers, AT.type_id),
    key: readText(row.key),
    payload: readPayload(row.payload),
    scheduledAt: numberAt(numbers, AT.scheduled_at),
    dueAt: numberAt(numbers, AT.due_at),
    createdAt: numberAt(numbers, AT.created_at),
    claimedAt: numberAt(numbers, AT.claimed_at)!,
    attempt: numberAt(numbers, AT.attempt),
    maxAttempts: numberAt(numbers, AT.max_attempts),
    crashCount: numberAt(numbers, AT.crash_count),
    snoozeCount: numberAt(numbers, AT.snooze_count),
    priority: numberAt(numbers, AT.priority),
    backoff: readBackoff(row.backoff),
    timeoutMs: numberAt(numbers, AT.timeout_ms),
    delivery: readJson(row.delivery) as unknown as Delivery | null,
    ...(row.member !== null && { member: readMember(row.member as string) }),
  };
}

function readMember(text: string): Membership {
  const [batchId, index, total] = text.split(" ");
  return { batchId: batchId!, shard: index === undefined ? null : { index: Number(index), total: Number(total) } };
}
