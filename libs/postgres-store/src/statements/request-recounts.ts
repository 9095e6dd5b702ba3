import type { EpochMs } from "@tickwheel/core";
import { now } from "../sql-fragments.js";
import type { Statement } from "../session.js";

/** A writer that has not written for so long counts no more: it writes each second, also where nothing happened. */
const WRITER_DEAD_AFTER = "interval '1 minute'";
/** What a dead writer did and could not tell for longer than this is not looked for. */
const LONGEST_SILENCE = "interval '1 hour'";
/** A span is closed so long after its end: by then the others have told what they counted. */
const CLOSED_AFTER = "interval '30 seconds'";

/**
 * Asks for a recount of the minutes in which a writer died, and closes the spans that are over: from then on no tally of theirs is taken.
 * A writer's row goes in the statement that asks, so it is asked for once. While a node runs tasks and tells no counts, since it is of the
 * last release, every minute is asked for.
 */
export const requestRecounts: Statement<{ asOf: EpochMs | null }, never> = {
  name: "request_recounts",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    dead AS (
      DELETE FROM ${schema}.tally_writer WHERE wrote_at < (SELECT now - ${WRITER_DEAD_AFTER} FROM clock) RETURNING wrote_at
    ),
    asked AS (
      INSERT INTO ${schema}.recount (at, span_minutes)
      SELECT DISTINCT minute, 1
        FROM dead CROSS JOIN clock
       CROSS JOIN LATERAL generate_series(date_trunc('minute', dead.wrote_at), least(clock.now, dead.wrote_at + ${LONGEST_SILENCE}), interval '1 minute') minute
          ON CONFLICT DO NOTHING
    ),
    untold AS (
      INSERT INTO ${schema}.recount (at, span_minutes)
      SELECT date_trunc('minute', clock.now) - back * interval '1 minute', 1 FROM clock CROSS JOIN generate_series(0, 1) back
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
