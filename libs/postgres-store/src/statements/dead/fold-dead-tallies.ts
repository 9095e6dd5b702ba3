import { MAX_DEAD_GROUPS } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { OTHERS } from "../../sql/dead-sql.js";

/** Most tallies of one fold. */
export const DEAD_FOLD_LIMIT = 5_000;

/** What a fold has done: a row for each group that it made, or one without a group. */
export interface FoldedDead {
  /** Tallies that it moved. */
  moved: number;
  /** A group that is to be given its title, and the error that tells it; null: it made none. */
  made: { typeId: number; print: number; error: string | null } | null;
}

/**
 * Moves tallies into the groups of their types: each is deleted in the statement that adds it, so it counts once. It
 * runs under `lockDeadTallies`, whose lock was taken in an earlier statement, so it sees all that others have folded.
 *
 * Deaths are moved before what undoes them: a tally of −1 was written by somebody who saw the death, so whatever
 * snapshot has the one has the other, and no group falls below 0. A group at 0 goes.
 *
 * A print without a group gets one while its type has room, and has no others: as long as tasks are counted under "the
 * others", one of them may have this print, so a group of its own would not count all. Hours follow their groups.
 *
 * Plan: the first rows of the tallies, one probe of the primary key per group.
 */
export const foldDeadTallies: Statement<null, FoldedDead> = {
  name: "fold_dead_tallies",
  sql: (schema) => `
    WITH picked AS MATERIALIZED (
      (SELECT ctid FROM ${schema}.dead_tally WHERE count > 0 LIMIT ${DEAD_FOLD_LIMIT})
      UNION ALL
      (SELECT ctid FROM ${schema}.dead_tally WHERE count <= 0 LIMIT ${DEAD_FOLD_LIMIT})
      LIMIT ${DEAD_FOLD_LIMIT}
    ),
    moved AS (
      DELETE FROM ${schema}.dead_tally WHERE ctid = ANY (ARRAY (SELECT ctid FROM picked)) RETURNING *
    ),
    sums AS MATERIALIZED (
      SELECT type_id, print, sum(count) AS count, min(first_at) AS first_at
        FROM moved GROUP BY type_id, print
    ),
    ${namesOf(schema)}
    ${sumsOf()}
    ${writesOf(schema)}
    SELECT m.moved, c.type_id, c.name::float8 AS print, c.error
      FROM (SELECT count(*)::integer AS moved FROM moved) m
      LEFT JOIN changed c ON c.left_over > 0 AND NOT c.is_known AND c.name <> ${OTHERS}`,
  values: () => [],
  read: ({ moved, type_id: typeId, print, error }) => ({
    moved: Number(moved),
    made: typeId === null ? null : { typeId: Number(typeId), print: Number(print), error: error as string | null },
  }),
};

/** `named`: the group of each print. A new one gets its own if there is room. */
function namesOf(schema: QuotedSchema): string {
  return `fresh AS MATERIALIZED (
      SELECT s.type_id, s.print, row_number() OVER (PARTITION BY s.type_id ORDER BY s.count = 0, s.first_at, s.print) AS place
        FROM sums s
       WHERE s.print <> ${OTHERS} AND s.count >= 0
         AND NOT EXISTS (SELECT FROM ${schema}.dead_group g WHERE g.type_id = s.type_id AND g.print = s.print)
    ),
    room AS MATERIALIZED (
      SELECT k.type_id, ${MAX_DEAD_GROUPS} - (SELECT count(*) FROM ${schema}.dead_group g WHERE g.type_id = k.type_id) AS places
        FROM (SELECT DISTINCT type_id FROM fresh) k
       WHERE NOT EXISTS (SELECT FROM ${schema}.dead_group g WHERE g.type_id = k.type_id AND g.print = ${OTHERS})
    ),
    known AS MATERIALIZED (
      SELECT DISTINCT g.type_id, g.print, g.count FROM sums s JOIN ${schema}.dead_group g ON g.type_id = s.type_id AND g.print IN (s.print, ${OTHERS})
    ),
    named AS MATERIALIZED (
      SELECT s.type_id, s.print, CASE WHEN k.count IS NOT NULL OR f.place <= r.places THEN s.print ELSE ${OTHERS} END AS name
        FROM sums s LEFT JOIN known k ON k.type_id = s.type_id AND k.print = s.print
        LEFT JOIN fresh f ON f.type_id = s.type_id AND f.print = s.print
        LEFT JOIN room r ON r.type_id = s.type_id
    ),`;
}

/** `changed`: what is added to each group, and what is left then. */
function sumsOf(): string {
  return `told AS MATERIALIZED (
      SELECT m.*, n.name FROM moved m JOIN named n ON n.type_id = m.type_id AND n.print = m.print
    ),
    groups AS MATERIALIZED (
      SELECT t.type_id, t.name, sum(t.count) AS count, min(t.first_at) AS first_at, max(t.last_at) AS last_at FROM told t GROUP BY 1, 2
    ),
    newest AS MATERIALIZED (
      SELECT DISTINCT ON (t.type_id, t.name) t.type_id, t.name, t.task_id, t.reason, t.error
        FROM told t WHERE t.task_id IS NOT NULL ORDER BY t.type_id, t.name, t.last_at DESC, t.task_id DESC
    ),
    changed AS MATERIALIZED (
      SELECT g.*, n.task_id, n.reason, n.error, k.count IS NOT NULL AS is_known, coalesce(k.count, 0) + g.count AS left_over
        FROM groups g LEFT JOIN newest n ON n.type_id = g.type_id AND n.name = g.name
        LEFT JOIN known k ON k.type_id = g.type_id AND k.print = g.name
    ),`;
}

function writesOf(schema: QuotedSchema): string {
  return `gone AS (
      DELETE FROM ${schema}.dead_group d USING changed c
       WHERE d.type_id = c.type_id AND d.print = c.name AND c.left_over <= 0
    ),
    lessened AS (
      UPDATE ${schema}.dead_group d SET count = c.left_over FROM changed c
       WHERE d.type_id = c.type_id AND d.print = c.name AND c.left_over > 0 AND c.task_id IS NULL
    ),
    grown AS (
      INSERT INTO ${schema}.dead_group AS d (type_id, print, count, first_at, last_at, sample_id, reason, title, place)
      SELECT c.type_id, c.name, c.left_over, c.first_at, c.last_at, c.task_id, c.reason, '', ''
        FROM changed c WHERE c.left_over > 0 AND c.task_id IS NOT NULL
      ON CONFLICT (type_id, print) DO UPDATE
         SET count = excluded.count, first_at = least(d.first_at, excluded.first_at), last_at = greatest(d.last_at, excluded.last_at),
             sample_id = CASE WHEN excluded.last_at >= d.last_at THEN excluded.sample_id ELSE d.sample_id END,
             reason = CASE WHEN excluded.last_at >= d.last_at THEN excluded.reason ELSE d.reason END
    ),
    hours AS (
      INSERT INTO ${schema}.dead_hour AS h (type_id, print, at, deaths)
      SELECT t.type_id, t.name, date_trunc('hour', t.last_at, 'UTC'), sum(t.deaths)
        FROM told t WHERE t.deaths > 0 GROUP BY 1, 2, 3
      ON CONFLICT (type_id, print, at) DO UPDATE SET deaths = h.deaths + excluded.deaths
    )`;
}
