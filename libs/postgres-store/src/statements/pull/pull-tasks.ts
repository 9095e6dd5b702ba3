import { CONSUMER, type EpochMs, type LimitId, type PullRequest, SCHEDULE_KEY } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { asOf, listed, parameters, plain, rows, typed } from "../../sql/parameters.js";
import { instant, now, numbered, span, stateById, wholeMs } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";
import { type ClaimRow, held, readTaken, REPLY, sized, taken } from "../claim/claim-parts.js";
import { tokensAt } from "../limits/token-sql.js";
import { limitsOfQueue } from "./lock-queue.js";

export interface PullTasks extends PullRequest {
  /** The limits that the transaction holds. */
  limitIds: readonly LimitId[];
  /** As of a claim. */
  replyBytes: number;
  asOf: EpochMs | null;
}

/** One pulled task, or null for none; what is told of the pull as a whole is in each row. */
export interface PullRow extends Omit<ClaimRow, "fenced"> {
  /** There is a limit that the transaction does not hold: nothing was pulled. */
  isLimitMissing: boolean;
  isPaused: boolean;
  /** How many due tasks were looked at. */
  found: number;
  isFull: boolean;
  nextDueAt: EpochMs | null;
}

const [p, values] = parameters<PullTasks>()({
  asOf,
  typeId: typed("integer", ({ typeId }) => typeId),
  most: typed("integer", ({ places }) => places.length),
  notBefore: typed("float8", ({ notBefore }) => notBefore),
  places: rows(({ places }: PullTasks) => places, {
    consumer: listed("text", ({ consumer }) => consumer),
    lease_ms: plain("float8", ({ leaseMs }) => leaseMs),
  }),
  limitIds: typed("integer[]", ({ limitIds }) => limitIds),
  replyBytes: typed("float8", ({ replyBytes }) => replyBytes),
});

/**
 * The pull, in a transaction that holds the queue: see `lockQueue`. So its snapshot shows every change of the settings
 * that was made before, and no other pull or claim is made within its limits beside it.
 *
 * `stopped` are the pauses in force. `free` are the places and the whole tokens of each limit. `due` are the oldest due
 * tasks, as many as there is room for. `found` are the same with the pauses of their keys, and those become paused.
 *
 * Plan: a range of the due index from `notBefore` on, a probe of the primary key for each task and each place, and one
 * more probe of the due index for what is due next.
 */
export const pullTasks: Statement<PullTasks, PullRow> = {
  name: "pull_tasks",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    queue AS MATERIALIZED (SELECT y.id, y.namespace FROM ${schema}.type y WHERE y.id = ${p.typeId}),
    stopped AS MATERIALIZED (
      SELECT s.key, s.paused_by
        FROM queue q CROSS JOIN clock
        JOIN ${schema}.pause s ON s.namespace = q.namespace AND (s.type_id IS NULL OR s.type_id = q.id) AND s.until_at > clock.now
    ),
    limits AS MATERIALIZED (SELECT l.id, l.max_running, l.places FROM queue q JOIN ${limitsOfQueue(schema)}),
    open AS MATERIALIZED (
      SELECT p.is_paused, p.is_missing, NOT (p.is_paused OR p.is_missing) AS is_open
        FROM (SELECT EXISTS (SELECT FROM stopped WHERE key IS NULL) AS is_paused,
                     EXISTS (SELECT FROM limits WHERE id <> ALL (${p.limitIds})) AS is_missing) p
    ),
    ${roomOf(schema)}
    due AS MATERIALIZED (
      SELECT t.id, t.key, (SELECT now FROM clock) AS now
        FROM ${schema}.task t
       WHERE t.state = ${STATE.scheduled} AND t.type_id = ${p.typeId} AND t.due_at <= (SELECT now FROM clock)
         AND t.due_at >= coalesce(${instant(p.notBefore)}, '-infinity') AND (SELECT is_open FROM open)
         AND (t.started_at IS NULL AND t.start_deadline_at < (SELECT now FROM clock)) IS NOT TRUE
       ORDER BY t.due_at, t.id LIMIT (SELECT greatest(0, least(${p.most}, places)) FROM room)
         FOR UPDATE OF t SKIP LOCKED
    ),
    found AS MATERIALIZED (
      SELECT d.id, d.now, s.paused_by FROM due d LEFT JOIN stopped s ON s.key = d.key AND NOT starts_with(d.key, '${SCHEDULE_KEY}')
    ),
    ${held(schema)},
    picked AS MATERIALIZED (SELECT id, now FROM found WHERE paused_by IS NULL),
    ${taken(schema, CONSUMER)},
    ${written(schema)}
    ${sized(p.replyBytes)}
    SELECT open.is_missing, open.is_paused, (SELECT count(*) FROM due)::float8 AS found,
           coalesce((SELECT places FROM room) <= (SELECT count(*) FROM claimed), false) AS is_full,
           (SELECT ${wholeMs("n.due_at")} FROM ${schema}.task n
             WHERE n.state = ${STATE.scheduled} AND n.type_id = ${p.typeId} AND n.due_at > (SELECT now FROM clock) AND open.is_open
             ORDER BY n.due_at LIMIT 1)::float8 AS next_due_ms,
           ${REPLY}
      FROM open LEFT JOIN sized t ON true`,
  values,
  read: (row) => ({
    ...readTaken(row),
    isLimitMissing: row.is_missing as boolean,
    isPaused: row.is_paused as boolean,
    found: Number(row.found),
    isFull: row.is_full as boolean,
    nextDueAt: row.next_due_ms === null ? null : Number(row.next_due_ms),
  }),
};

/** `room`: how many tasks may start by all limits; null: nothing limits them. */
function roomOf(schema: QuotedSchema): string {
  return `occupied AS MATERIALIZED (
      SELECT l.id AS limit_id, h.id
        FROM limits l CROSS JOIN LATERAL (
          SELECT t.id FROM unnest(l.places) AS u (id) JOIN ${schema}.task t ON t.id = u.id WHERE ${stateById("t")} = ${STATE.running}
        ) h
       WHERE l.max_running IS NOT NULL
    ),
    free AS MATERIALIZED (
      SELECT l.max_running - (SELECT count(*) FROM occupied o WHERE o.limit_id = l.id) AS places FROM limits l WHERE l.max_running IS NOT NULL
       UNION ALL
      SELECT floor(${tokensAt("b", "clock.now")} + 1e-9) FROM clock CROSS JOIN limits l JOIN ${schema}.bucket b ON b.id = l.id
    ),
    room AS MATERIALIZED (SELECT min(f.places) AS places FROM free f),`;
}

/** The leases of what was pulled, its places and the tokens that it cost. */
function written(schema: QuotedSchema): string {
  return `placed AS (
      SELECT c.id, c.fence, c.claimed_at, row_number() OVER (ORDER BY c.due_at, c.id) AS place FROM claimed c
    ),
    leased AS (
      INSERT INTO ${schema}.lease AS l (task_id, fence, until_at, consumer)
      SELECT c.id, c.fence, c.claimed_at + ${span("r.lease_ms")}, r.consumer FROM placed c JOIN ${numbered(p.places, "place")} USING (place)
          ON CONFLICT (task_id) DO UPDATE SET fence = excluded.fence, until_at = excluded.until_at, consumer = excluded.consumer
    ),
    kept AS (
      UPDATE ${schema}.flow_limit l
         SET places = array(SELECT o.id FROM occupied o WHERE o.limit_id = l.id) || array(SELECT c.id FROM claimed c)
       WHERE l.id IN (SELECT id FROM limits WHERE max_running IS NOT NULL) AND EXISTS (SELECT FROM claimed)
    ),
    spent AS (
      UPDATE ${schema}.bucket k
         SET tokens = ${tokensAt("k", "clock.now")} - (SELECT count(*) FROM claimed), refilled_at = clock.now
        FROM clock
       WHERE k.id IN (SELECT id FROM limits) AND EXISTS (SELECT FROM claimed)
    ),`;
}
