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
import { now, span, stateById, taskNumbers, unnested } from "../../sql/sql-fragments.js";
import type { QuotedSchema, RawRow } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
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
    "given",
  ] as const),
  ...(["scheduled_at", "due_at", "created_at", "claimed_at"] as const),
];
const AT = placesOf(NUMBERS);

/** The parameters of every claim. */
export const [p, values] = parameters<ClaimTasks>()({
  asOf,
  owner: typed("bigint", ({ owner }) => owner),
  ids: rows(({ ids }: ClaimTasks) => ids, { id: plain("uuid", (id) => id) }),
  claimAheadMs: ({ claimAheadMs }) => claimAheadMs,
  replyBytes: typed("float8", ({ replyBytes }) => replyBytes),
});

/** Behind those of the plain claim. */
export const PAUSED_KEYS = { arrays: ["$6::integer[]", "$7::text[]"], names: "type_id, key" };

/** Locks this node's row. */
export function me(schema: QuotedSchema): string {
  return `me AS MATERIALIZED (
      SELECT boot_id FROM ${schema}.node WHERE boot_id = ${p.owner} AND state = 'live' FOR KEY SHARE
    )`;
}

/** Which rows `t` of the ids can be claimed. */
export const CLAIMABLE = `${stateById("t")} = ${STATE.scheduled} AND t.due_at <= clock.now + ${span(p.claimAheadMs)}
         AND (t.started_at IS NULL AND t.start_deadline_at < clock.now) IS NOT TRUE`;

/**
 * Claims the rows of `picked`, which are locked, and makes the reply.
 *
 * @param more what is written beside it, and a column that is told beside it, each with its comma
 */
export function claimed(schema: QuotedSchema, more = { written: "", column: "" }): string {
  return `${taken(schema, p.owner)},${more.written}
    ${sized(p.replyBytes)}
    SELECT CASE WHEN t.id IS NULL THEN node.fenced END AS fenced,${more.column} ${REPLY}
      FROM (SELECT NOT EXISTS (SELECT FROM me) AS fenced) node LEFT JOIN sized t ON true`;
}

/**
 * `claimed`: the rows of `picked`, which are locked, run under `owner` from now on. It has few columns, since each row
 * passes through several steps of the statement. Long payloads pass through as they are stored, apart from the row.
 */
export function taken(schema: QuotedSchema, owner: string): string {
  return `claimed AS (
      UPDATE ${schema}.task t
         SET state = ${STATE.running}, owner = ${owner}, fence = t.fence + 1, attempt = t.attempt + 1, claimed_at = picked.now
        FROM picked
       WHERE t.id = picked.id AND ${stateById("t")} = ${STATE.scheduled}
      RETURNING t.id, t.fence, t.due_at, t.claimed_at, t.key, ${taskNumbers(NUMBERS)} AS numbers,
                t.backoff, t.delivery, ${MEMBER} AS member, t.payload
    )`;
}

/** `sized`: the same, and which payloads are left out, since the reply would be longer than `replyBytes`. */
export function sized(replyBytes: string): string {
  return `sized AS (
      SELECT c.*, CASE WHEN c.payload IS NOT NULL AND ${replyBytes} <
                         sum(256 + coalesce(octet_length(c.payload::text), 0) + coalesce(octet_length(c.delivery::text), 0))
                           OVER (ROWS UNBOUNDED PRECEDING)
                       THEN true END AS payload_left_out
        FROM claimed c
    )`;
}

/** The columns of the reply, of `sized t`. */
export const REPLY = `t.id::text AS id, t.key, t.numbers, t.backoff::text AS backoff, t.delivery::text AS delivery, t.member,
           t.payload_left_out, CASE WHEN t.payload_left_out IS NULL THEN t.payload::text END AS payload`;

/** The pauses of keys, whose rows are locked. */
export function paused(schema: QuotedSchema): string {
  return `paused AS MATERIALIZED (
      SELECT s.type_id, s.key, s.until_at, s.paused_by
        FROM me CROSS JOIN ${unnested(PAUSED_KEYS, "k")} JOIN ${schema}.pause s ON s.type_id = k.type_id AND s.key = k.key
       ORDER BY s.id FOR SHARE OF s
    ),
    clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now FROM me, (SELECT count(*) FROM paused) locked)`;
}

/** Whether the pause `s` stops the task `t`. An occurrence of a schedule is not paused. */
export const STOPPED = `s.type_id = t.type_id AND s.key = t.key AND s.until_at > clock.now
         AND NOT starts_with(t.key, '${SCHEDULE_KEY}')`;

const NOTED = { at: "f.now", reason: "'PAUSED'", actor: "f.paused_by", count: "1", to: String(STATE.paused) };

/** Pauses the rows of `found`, which are locked, where a pause stops them. */
export function held(schema: QuotedSchema): string {
  return `held AS (
      UPDATE ${schema}.task t
         SET state = ${STATE.paused}, paused_at = f.now, version = t.version + 1, notes = ${withChange("t", NOTED, () => "false")}
        FROM found f
       WHERE t.id = f.id AND f.paused_by IS NOT NULL AND ${stateById("t")} = ${STATE.scheduled}
    )`;
}

export function keyValues({ pausedKeys }: { pausedKeys: readonly PausedKey[] }): unknown[] {
  return [pausedKeys.map(({ typeId }) => typeId), pausedKeys.map(({ key }) => key)];
}

/** One object is made here of each claimed row, and no more than one: a burst has tens of thousands. */
export function readClaim(row: RawRow): ClaimRow {
  return {
    fenced: row.fenced === true,
    isPayloadLeftOut: row.payload_left_out === true,
    task: row.id === null ? null : readClaimed(row),
  };
}

/** Reads the columns of {@link REPLY}. */
export function readTaken(row: RawRow): Omit<ClaimRow, "fenced"> {
  return { isPayloadLeftOut: row.payload_left_out === true, task: row.id === null ? null : readClaimed(row) };
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
    given: numberAt(numbers, AT.given),
    delivery: readJson(row.delivery) as unknown as Delivery | null,
    ...(row.member !== null && { member: readMember(row.member as string) }),
  };
}

function readMember(text: string): Membership {
  const [batchId, index, total] = text.split(" ");
  return { batchId: batchId!, shard: index === undefined ? null : { index: Number(index), total: Number(total) } };
}
