import {
  type EpochMs,
  JSON_NULL,
  type KeyRun,
  MAX_MERGED_DIGITS,
  MAX_PAYLOAD_BYTES,
  plainReducers,
  slotOfId,
  type Task,
} from "@tickwheel/core";
import { atNow, pausedMs } from "../../sql/paused-sql.js";
import { withChange } from "../../sql/journal-sql.js";
import { asOf, listed, parameters, rows } from "../../sql/parameters.js";
import { NO_TASK_FIELDS, now, numbered, span, TASK_FIELDS, taskFrom } from "../../sql/sql-fragments.js";
import type { RawRow, Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readJson, readTask, readText } from "../../sql/task-rows.js";
import { atOf, delayOf, dueAt, wholeOrNull } from "./new-rows.js";
import { heldBy } from "./find-key-holders.js";
import { movedDue, setMovedDue } from "./moved-due.js";

export interface FoldMerges {
  /** Merges of keys whose holders this transaction has locked; at most one run for each key. */
  runs: readonly KeyRun[];
  asOf: EpochMs | null;
}

/** What became of a run. */
export interface FoldedRun {
  /** The run's index in the request. */
  index: number;
  /**
   * `merged`: all but `refused`; `refused`: none. `unmergeable`: the holder's payload takes no merge. `too_large`: the
   * payload would be too long; `overflow`: the sum of `field` would have too many digits. Only `merged` writes.
   */
  outcome: "merged" | "refused" | "unmergeable" | "too_large" | "overflow";
  holderId: string;
  /** The field that an entry cannot be merged for, by the entry's index. */
  refused: ReadonlyMap<number, string>;
  field: string | null;
  /** For `merged`: the task after it. */
  task: Task | null;
}

const [p, values] = parameters<FoldMerges>()({
  asOf,
  runs: rows(({ runs }: FoldMerges) => runs, {
    slot: listed("smallint", ({ task }) => slotOfId(task.id)),
    type_id: listed("integer", ({ task }) => task.typeId),
    key: listed("text", ({ task }) => task.key),
    reducers: listed("text", ({ task }) => JSON.stringify(plainReducers(task.reducers ?? {}))),
    items: listed("text", itemsOf),
  }),
});

/**
 * [merge-once]: folds merges into the payloads of holders that wait, and moves their due times. Those that are paused
 * stay paused. A run that is not in
 * the answer met a holder that has started, or none. Only `numeric` computes, so sums are exact.
 *
 * The statement before this one has locked the holders, so this one sees what they are, and reads its clock after that
 * wait. An entry of the wrong kind changes nothing. Nothing raises an error: a payload that `jsonb` cannot take is
 * found by its text before it is cast. Journalled in the row itself: merges in succession are folded.
 *
 * Plan: for each run one probe of the unique index on the live key and one of the primary key. No two lists are joined:
 * a join of common table expressions takes the square of their lengths. OFFSET 0 keeps the guard before the cast, and
 * the LIMIT leaves none out, as in `arrayRows`. One item takes 0.3 ms, 64 items 0.6 to 0.9 ms.
 */
export const foldMerges: Statement<FoldMerges, FoldedRun> = {
  name: "fold_merges",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    merged AS MATERIALIZED (
      SELECT h.run, h.id, f.payload, f.actor, f.count, f.refused, f.overflow, least(h.wait_until, f.wait_until) AS wait_until,
             ${movedDue("h.due_at", { now: "h.now", first: "f.first_due", last: "f.last_due", waitUntil: "least(h.wait_until, f.wait_until)" })} AS due_at,
             CASE WHEN f.payload IS NULL THEN 'unmergeable' WHEN f.count = 0 THEN 'refused'
                  WHEN octet_length(f.payload) > ${MAX_PAYLOAD_BYTES} THEN 'too_large' WHEN f.overflow IS NOT NULL THEN 'overflow'
                  ELSE 'merged' END AS outcome
        FROM (SELECT r.run, r.reducers::jsonb AS reducers, r.items::jsonb AS items, clock.now, h.id, ${atNow("h", "due_at", "clock.now")} AS due_at,
                     h.created_at + ${span(`coalesce(${pausedMs("h", "clock.now")}, 0)`)} AS waits_from, ${atNow("h", "wait_until", "clock.now")} AS wait_until,
                     CASE WHEN h.payload IS NULL THEN '{}'::jsonb WHEN ${isCastable("h.payload::text")} THEN h.payload::text::jsonb END AS payload
                FROM clock CROSS JOIN (SELECT * FROM ${numbered(p.runs, "run")} LIMIT cardinality(${p.runs.arrays[0]})) r ${heldBy(schema, "h")}
               WHERE h.state <= ${STATE.scheduled} AND h.started_at IS NULL
              OFFSET 0) h
        LEFT JOIN LATERAL (${FOLDED}) f ON jsonb_typeof(h.payload) = 'object'
    ),
    written AS (
      UPDATE ${schema}.task t SET payload = m.payload::json, ${setMovedDue("clock.now")}, notes = ${NOTES}
        FROM clock CROSS JOIN merged m WHERE t.id = m.id AND m.outcome = 'merged'
      RETURNING m.run, m.refused, t.*
    )
    SELECT ${TASK_FIELDS}, t.run, 'merged' AS outcome, t.refused::text AS refused, NULL AS overflow, t.id::text AS holder_id
      FROM ${taskFrom(schema, "written")}
    UNION ALL
    SELECT ${NO_TASK_FIELDS}, m.run, m.outcome, m.refused::text, m.overflow, m.id::text FROM merged m WHERE m.outcome <> 'merged'`,
  values,
  read: readFold,
};

/** The entries of a run as one text: payload, instant, delay, maxWait, actor. An absent payload adds nothing. */
function itemsOf({ entries }: KeyRun): string {
  const items = entries.map(({ task: { payload, due, maxWaitMs, actor } }) => {
    const fields = payload === JSON_NULL ? "{}" : payload;
    return `[${fields},${atOf(due)},${delayOf(due)},${wholeOrNull(maxWaitMs)},${JSON.stringify(castable(actor))}]`;
  });
  return `[${items.join(",")}]`;
}

/** Text that `jsonb` takes: without NUL and halves of surrogate pairs. */
function castable(text: string): string {
  return Buffer.from(text.replaceAll("\0", "\uFFFD"), "utf8").toString("utf8");
}

/**
 * Whether a text of JSON can become `jsonb` without an error: no escaped NUL, no escaped half of a surrogate pair, no
 * number of more than 200 digits or with an exponent beyond 99.
 */
function isCastable(text: string): string {
  const bare = `replace(${text}, '\\\\', '')`;
  const withoutPairs = `regexp_replace(${bare}, '\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}', '', 'g')`;
  const withoutStrings = `regexp_replace(${bare}, '"([^"\\\\]|\\\\.)*"', '""', 'g')`;
  return `CASE WHEN ${text} !~ '\\\\u|[0-9.]{201}|[eE][-+]?[0-9]{3}' THEN true
                          ELSE ${withoutPairs} !~ '\\\\u(0000|[dD][89a-fA-F])'
                           AND ${withoutStrings} !~ '[0-9]{201}|[0-9.]{202}|[eE][-+]?0*[1-9][0-9]{2}' END`;
}

const reducerOf = (field: string): string => `coalesce(h.reducers ->> ${field}, 'replace')`;
const KIND = `CASE ${reducerOf("f.key")} WHEN 'append' THEN 'array' ELSE 'number' END`;
const exact = (number: string): string => `(SELECT to_jsonb(trim_scale(${number})) FROM unnest(f.given) AS g (value))`;

/**
 * For one run `h`: which of its items are refused, and what the good ones come to. Without a join, so that its cost is
 * linear in the items whatever the planner expects.
 */
const FOLDED = `
          WITH item AS MATERIALIZED (
            SELECT i.place, i.value -> 0 AS payload, i.value ->> 4 AS actor, h.waits_from + ${span("(i.value ->> 3)")} AS wait_until,
                   ${dueAt("(i.value ->> 1)", "(i.value ->> 2)", "h.now")} AS due_at,
                   (SELECT min(f.key COLLATE "C") FROM jsonb_each(i.value -> 0) f CROSS JOIN LATERAL (SELECT ${KIND} AS kind) k
                     WHERE ${reducerOf("f.key")} <> 'replace' AND (jsonb_typeof(f.value) <> k.kind OR jsonb_typeof(h.payload -> f.key) <> k.kind)) AS bad
              FROM jsonb_array_elements(h.items) WITH ORDINALITY AS i (value, place)
          ),
          field AS (
            SELECT f.key AS field, ${reducerOf("f.key")} AS reducer, h.payload -> f.key AS old, array_agg(f.value ORDER BY i.place) AS given
              FROM item i CROSS JOIN LATERAL jsonb_each(i.payload) f WHERE i.bad IS NULL GROUP BY f.key
          ),
          change AS (
            SELECT f.field, f.reducer,
                   CASE f.reducer
                     WHEN 'replace' THEN f.given[cardinality(f.given)]
                     WHEN 'append' THEN coalesce(f.old, '[]') || jsonb_path_query_array(to_jsonb(f.given), '$[*][*]')
                     WHEN 'add' THEN ${exact("coalesce(f.old::numeric, 0) + sum(g.value::numeric)")}
                     WHEN 'max' THEN ${exact("greatest(f.old::numeric, max(g.value::numeric))")}
                     ELSE ${exact("least(f.old::numeric, min(g.value::numeric))")} END AS value
              FROM field f
          )
          SELECT c.overflow, (h.payload || coalesce(c.changes, '{}'))::text AS payload, t.*
            FROM (SELECT jsonb_object_agg(field, value) AS changes,
                         min(field COLLATE "C") FILTER (WHERE reducer = 'add' AND length(translate(value::text, '-.', '')) > ${MAX_MERGED_DIGITS}) AS overflow
                    FROM change) c
           CROSS JOIN (SELECT count(*) FILTER (WHERE bad IS NULL)::integer AS count, min(due_at) FILTER (WHERE bad IS NULL) AS first_due,
                              (array_agg(due_at ORDER BY place DESC) FILTER (WHERE bad IS NULL))[1] AS last_due,
                              (array_agg(actor ORDER BY place DESC) FILTER (WHERE bad IS NULL))[1] AS actor,
                              min(wait_until) FILTER (WHERE bad IS NULL) AS wait_until,
                              json_agg(json_build_array(place, bad)) FILTER (WHERE bad IS NOT NULL) AS refused FROM item) t`;

const NOTES = withChange(
  "t",
  { at: "clock.now", reason: "'MERGED'", actor: "m.actor", count: "m.count" },
  (note) => `${note} ->> 'reason' = 'MERGED'`,
);

function readFold(row: RawRow): FoldedRun {
  const refused = (readJson(row.refused) ?? []) as [place: number, field: string][];
  const outcome = row.outcome as FoldedRun["outcome"];
  return {
    index: Number(row.run) - 1,
    outcome,
    holderId: row.holder_id as string,
    refused: new Map(refused.map(([place, field]) => [place - 1, field])),
    field: readText(row.overflow),
    task: outcome === "merged" ? readTask(row) : null,
  };
}
