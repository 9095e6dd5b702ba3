import { type EpochMs, LATER_CODE, type SeenCause } from "@tickwheel/core";
import { instant, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/**
 * Opens a finding for each cause that has none, and renews the open ones. Nodes that write at once meet in the index of
 * open findings, so each cause has one. The facts are those of the node that wrote last. A
 * cause that has become another one, as other nodes know, opens nothing any more.
 *
 * Causes come sorted by (code, subject), so that two nodes lock the rows in one order.
 */
export const renewFindings: Statement<{ seen: readonly SeenCause[]; asOf: EpochMs | null }, never> = {
  name: "renew_findings",
  sql: (schema) => `
    INSERT INTO ${schema}.finding AS f (code, subject, namespace, severity, facts, since, seen_at)
    SELECT u.code, u.subject, u.namespace, u.severity, u.facts::json, ${instant("u.since")}, clock.now
      FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::text[])
             AS u (code, subject, namespace, severity, facts, since, later),
           (SELECT ${now("$1")} AS now) clock
     WHERE NOT EXISTS (SELECT FROM ${schema}.finding l WHERE l.until IS NULL AND l.code = u.later AND l.subject = u.subject)
        ON CONFLICT (code, subject) WHERE until IS NULL
        DO UPDATE SET seen_at = greatest(f.seen_at, excluded.seen_at), since = least(f.since, excluded.since), severity = excluded.severity,
                      facts = excluded.facts`,
  values: ({ seen, asOf }) => [
    asOf,
    seen.map(({ code }) => code),
    seen.map(({ subject }) => subject),
    seen.map(({ namespace }) => namespace),
    seen.map(({ severity }) => severity),
    seen.map(({ facts }) => JSON.stringify(facts)),
    seen.map(({ since }) => since),
    seen.map(({ code }) => LATER_CODE[code] ?? null),
  ],
  read: (row) => row as never,
};
