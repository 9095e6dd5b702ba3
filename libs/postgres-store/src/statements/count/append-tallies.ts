import { type EpochMs, LATENESS_PARTS, type Tally, type TallyRequest } from "@tickwheel/core";
import { LATE_COLUMNS, lateColumn } from "../../sql/lateness-sql.js";
import { asOf, listed, parameters, plain, rows, type RowsSql, type SentColumn, typed } from "../../sql/parameters.js";
import { instant, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

interface AppendTallies extends TallyRequest {
  asOf: EpochMs | null;
}
const talliesOf = ({ tallies }: AppendTallies): readonly Tally[] => tallies;

const [p, values] = parameters<AppendTallies>()({
  asOf,
  writer: typed("bigint", ({ writer }) => writer),
  isLast: typed("boolean", ({ isLast }) => isLast),
  doubts: typed("float8[]", ({ doubts }) => doubts),
  counts: rows(talliesOf, {
    at_ms: plain("float8", ({ at }) => at),
    type_id: plain("integer", ({ typeId }) => typeId),
    created: plain("bigint", ({ created }) => created),
    started: plain("bigint", ({ started }) => started),
    failed: plain("bigint", ({ failed }) => failed),
    dead: plain("bigint", ({ dead }) => dead),
    succeeded: plain("bigint", ({ succeeded }) => succeeded),
    cancelled: plain("bigint", ({ cancelled }) => cancelled),
  }),
  lateness: rows(talliesOf, {
    latest_ms: plain("bigint", ({ latestMs }) => latestMs),
    lateness_ms: listed("text", ({ latenessMs }) => `{${latenessMs.join(",")}}`),
    lateness_count: listed("text", ({ latenessCounts }) => `{${latenessCounts.join(",")}}`),
  }),
  label: typed("text", ({ label }) => label),
  places: rows(talliesOf, { place_ms: plain("bigint", ({ placeMs }) => placeMs) }),
  others: rows(talliesOf, {
    last_error: listed("text", ({ lastError }) => lastError),
    skipped: plain("bigint", ({ skipped }) => skipped),
  }),
  parts: rows(
    talliesOf,
    Object.fromEntries(
      LATENESS_PARTS.map((part): [string, SentColumn<Tally>] => [
        lateColumn(part),
        plain("bigint", ({ latenessPartsMs }) => latenessPartsMs[part]),
      ]),
    ),
  ),
});
const listOf = (...sent: RowsSql[]): string => sent.flatMap(({ arrays }) => arrays).join(", ");

/**
 * Appends a node's tallies and notes that the node still writes them. Tallies of a closed span are dropped, since a
 * recount counts that span from the rows.
 *
 * Plan: inserts, and a look at the open and closed spans, which are few.
 */
export const appendTallies: Statement<AppendTallies, never> = {
  name: "append_tallies",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    writer AS (
      INSERT INTO ${schema}.tally_writer (id, label, wrote_at) SELECT ${p.writer}, ${p.label}, now FROM clock WHERE NOT ${p.isLast}
          ON CONFLICT (id) DO UPDATE SET wrote_at = excluded.wrote_at
    ),
    gone AS (DELETE FROM ${schema}.tally_writer WHERE id = ${p.writer} AND ${p.isLast}),
    doubted AS (
      INSERT INTO ${schema}.recount (at, span_minutes)
      SELECT DISTINCT date_trunc('minute', ${instant("d.ms")}), 1 FROM unnest(${p.doubts}) AS d (ms)
          ON CONFLICT DO NOTHING
    )
    INSERT INTO ${schema}.tally (at, span_minutes, type_id, created, started, failed, dead, succeeded, skipped, cancelled, latest_ms,
                                lateness_ms, lateness_count, place_ms, last_error, ${LATE_COLUMNS.join(", ")})
    SELECT r.at, 0, r.type_id, r.created, r.started, r.failed, r.dead, r.succeeded, r.skipped, r.cancelled, r.latest_ms, r.lateness_ms::integer[],
           r.lateness_count::bigint[], r.place_ms, r.last_error, ${LATE_COLUMNS.map((column) => `r.${column}`).join(", ")}
      FROM (SELECT ${instant("u.at_ms")} AS at, u.*
              FROM unnest(${listOf(p.counts)},
                          ${listOf(p.lateness, p.places, p.others)},
                          ${listOf(p.parts)})
                AS u (${p.counts.names}, ${p.lateness.names}, ${p.places.names},
                      ${p.others.names}, ${p.parts.names})) r
     WHERE NOT EXISTS (
       SELECT FROM ${schema}.recount c
        WHERE c.closed_at IS NOT NULL AND c.at <= r.at AND r.at < c.at + c.span_minutes * interval '1 minute'
     )`,
  values,
  read: (row) => row as never,
};
