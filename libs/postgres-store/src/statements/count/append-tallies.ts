import { type EpochMs, LATENESS_PARTS, type TallyRequest } from "@tickwheel/core";
import { LATE_COLUMNS } from "../../sql/lateness-sql.js";
import { plainArray } from "../../sql/plain-array.js";
import { instant, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/**
 * Appends a node's tallies and notes that the node still writes them. Tallies of a closed span are dropped, since a
 * recount counts that span from the rows.
 *
 * Plan: inserts, and a look at the open and closed spans, which are few.
 */
export const appendTallies: Statement<TallyRequest & { asOf: EpochMs | null }, never> = {
  name: "append_tallies",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    writer AS (
      INSERT INTO ${schema}.tally_writer (id, label, wrote_at) SELECT $2::bigint, $16::text, now FROM clock WHERE NOT $3::boolean
          ON CONFLICT (id) DO UPDATE SET wrote_at = excluded.wrote_at
    ),
    gone AS (DELETE FROM ${schema}.tally_writer WHERE id = $2::bigint AND $3::boolean),
    doubted AS (
      INSERT INTO ${schema}.recount (at, span_minutes)
      SELECT DISTINCT date_trunc('minute', ${instant("d.ms")}), 1 FROM unnest($4::float8[]) AS d (ms)
          ON CONFLICT DO NOTHING
    )
    INSERT INTO ${schema}.tally (at, span_minutes, type_id, created, started, failed, dead, succeeded, skipped, cancelled, latest_ms,
                                lateness_ms, lateness_count, place_ms, last_error, ${LATE_COLUMNS.join(", ")})
    SELECT r.at, 0, r.type_id, r.created, r.started, r.failed, r.dead, r.succeeded, r.skipped, r.cancelled, r.latest_ms, r.lateness_ms::integer[],
           r.lateness_count::bigint[], r.place_ms, r.last_error, ${LATE_COLUMNS.map((column) => `r.${column}`).join(", ")}
      FROM (SELECT ${instant("u.at_ms")} AS at, u.*
              FROM unnest($5::float8[], $6::integer[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[],
                          $13::bigint[], $14::text[], $15::text[], $17::bigint[], $18::text[], $19::bigint[],
                          ${LATE_COLUMNS.map((_, index) => `$${20 + index}::bigint[]`).join(", ")})
                AS u (at_ms, type_id, created, started, failed, dead, succeeded, cancelled, latest_ms, lateness_ms, lateness_count, place_ms,
                      last_error, skipped, ${LATE_COLUMNS.join(", ")})) r
     WHERE NOT EXISTS (
       SELECT FROM ${schema}.recount c
        WHERE c.closed_at IS NOT NULL AND c.at <= r.at AND r.at < c.at + c.span_minutes * interval '1 minute'
     )`,
  values: ({ asOf, writer, label, isLast, doubts, tallies }) => [
    asOf,
    writer,
    isLast,
    doubts,
    plainArray(tallies, ({ at }) => at),
    plainArray(tallies, ({ typeId }) => typeId),
    plainArray(tallies, ({ created }) => created),
    plainArray(tallies, ({ started }) => started),
    plainArray(tallies, ({ failed }) => failed),
    plainArray(tallies, ({ dead }) => dead),
    plainArray(tallies, ({ succeeded }) => succeeded),
    plainArray(tallies, ({ cancelled }) => cancelled),
    plainArray(tallies, ({ latestMs }) => latestMs),
    tallies.map(({ latenessMs }) => `{${latenessMs.join(",")}}`),
    tallies.map(({ latenessCounts }) => `{${latenessCounts.join(",")}}`),
    label,
    plainArray(tallies, ({ placeMs }) => placeMs),
    tallies.map(({ lastError }) => lastError),
    plainArray(tallies, ({ skipped }) => skipped),
    ...LATENESS_PARTS.map((part) => plainArray(tallies, ({ latenessPartsMs }) => latenessPartsMs[part])),
  ],
  read: (row) => row as never,
};
