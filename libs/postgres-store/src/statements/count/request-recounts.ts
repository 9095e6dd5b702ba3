import type { EpochMs } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/** A writer that has not written for this long is dead: writers write each second, even when nothing happened. */
const WRITER_DEAD_AFTER = "interval '1 minute'";
/** At most this much time after a dead writer's last tally is recounted. */
const LONGEST_SILENCE = "interval '1 hour'";
/** At most this much of a time in which nobody kept counters is recounted, hour by hour. */
const LONGEST_GAP = "interval '1 year'";
/** The number of the row among the writers that stands for all of them. Real writers have positive numbers. */
const KEEPER = 0;
/** A span is closed this long after its end: by then all other nodes have written their tallies of it. */
const CLOSED_AFTER = "interval '30 seconds'";

/**
 * Asks for a recount of the minutes in which a writer died, and closes the spans that are over. A closed span takes no
 * more tallies. The same statement deletes the writer's row, so its minutes are asked for once.
 *
 * Nodes of the last release run tasks but write no tallies. While there is such a node, every minute is asked for, and
 * the next one too, since the node may stop in it. Such nodes may also have been alone: before the first node of this
 * release, or after an upgrade that was taken back. So the time in which nobody ran this statement, or the time since
 * the migration, is asked for too: by the hour, or minute by minute if it was an hour at most.
 */
export const requestRecounts: Statement<{ asOf: EpochMs | null }, never> = {
  name: "request_recounts",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    dead AS (
      DELETE FROM ${schema}.tally_writer
       WHERE wrote_at < (SELECT now - ${WRITER_DEAD_AFTER} FROM clock) AND id <> ${KEEPER} RETURNING wrote_at
    ),
    asked AS (
      INSERT INTO ${schema}.recount (at, span_minutes)
      SELECT DISTINCT minute, 1
        FROM dead CROSS JOIN clock
       CROSS JOIN LATERAL generate_series(date_trunc('minute', dead.wrote_at), least(clock.now, dead.wrote_at + ${LONGEST_SILENCE}), interval '1 minute') minute
          ON CONFLICT DO NOTHING
    ),
    kept AS (
      INSERT INTO ${schema}.tally_writer (id, label, wrote_at) SELECT ${KEEPER}, '', now FROM clock
          ON CONFLICT (id) DO UPDATE SET wrote_at = excluded.wrote_at
    ),
    gap AS (
      SELECT greatest(since, now - ${LONGEST_GAP}) AS since, now, CASE WHEN since < now - interval '1 hour' THEN 60 ELSE 1 END AS minutes
        FROM clock CROSS JOIN LATERAL (
          SELECT coalesce((SELECT wrote_at FROM ${schema}.tally_writer WHERE id = ${KEEPER}), (SELECT max(at) FROM ${schema}.recount)) AS since
        ) last
       WHERE since < now - ${WRITER_DEAD_AFTER}
    ),
    unkept AS (
      INSERT INTO ${schema}.recount (at, span_minutes)
      SELECT at, minutes
        FROM gap CROSS JOIN LATERAL generate_series(date_trunc(CASE minutes WHEN 60 THEN 'hour' ELSE 'minute' END, since, 'UTC'), now,
                                                    minutes * interval '1 minute') at
          ON CONFLICT DO NOTHING
    ),
    untold AS (
      INSERT INTO ${schema}.recount (at, span_minutes)
      SELECT date_trunc('minute', clock.now) - back * interval '1 minute', 1 FROM clock CROSS JOIN generate_series(-1, 1) back
       WHERE EXISTS (
         SELECT FROM ${schema}.node n
          WHERE n.state <> 'dead' AND 'engine' = ANY (n.roles) AND n.joined_at < clock.now - interval '10 seconds'
            AND NOT EXISTS (SELECT FROM ${schema}.tally_writer w WHERE w.label = n.label)
       )
          ON CONFLICT DO NOTHING
    )
    UPDATE ${schema}.recount r SET closed_at = clock.now
      FROM clock WHERE r.closed_at IS NULL AND r.at + r.span_minutes * interval '1 minute' < clock.now - ${CLOSED_AFTER}`,
  values: ({ asOf }) => [asOf],
  read: (row) => row as never,
};
