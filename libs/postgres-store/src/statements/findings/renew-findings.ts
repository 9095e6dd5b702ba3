import { type EpochMs, LATER_CODE, type SeenCause } from "@tickwheel/core";
import { asOf, listed, parameters, rows } from "../../sql/parameters.js";
import { instant, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

interface RenewFindings {
  seen: readonly SeenCause[];
  asOf: EpochMs | null;
}

const [p, values] = parameters<RenewFindings>()({
  asOf,
  seen: rows(({ seen }: RenewFindings) => seen, {
    code: listed("text", ({ code }) => code),
    subject: listed("text", ({ subject }) => subject),
    namespace: listed("text", ({ namespace }) => namespace),
    severity: listed("text", ({ severity }) => severity),
    facts: listed("text", ({ facts }) => JSON.stringify(facts)),
    since: listed("float8", ({ since }) => since),
    later: listed("text", ({ code }) => LATER_CODE[code] ?? null),
  }),
});

/**
 * Opens a finding for each cause that has none, and renews the open ones. Nodes that write at once meet in the index of
 * open findings, so each cause has one. The facts are those of the node that wrote last. A
 * cause that has become another one, as other nodes know, opens nothing any more.
 *
 * Causes come sorted by (code, subject), so that two nodes lock the rows in one order.
 */
export const renewFindings: Statement<RenewFindings, never> = {
  name: "renew_findings",
  sql: (schema) => `
    INSERT INTO ${schema}.finding AS f (code, subject, namespace, severity, facts, since, seen_at)
    SELECT u.code, u.subject, u.namespace, u.severity, u.facts::json, ${instant("u.since")}, clock.now
      FROM unnest(${p.seen.arrays.join(", ")})
             AS u (${p.seen.names}),
           (SELECT ${now(p.asOf)} AS now) clock
     WHERE NOT EXISTS (SELECT FROM ${schema}.finding l WHERE l.until IS NULL AND l.code = u.later AND l.subject = u.subject)
        ON CONFLICT (code, subject) WHERE until IS NULL
        DO UPDATE SET seen_at = greatest(f.seen_at, excluded.seen_at), since = least(f.since, excluded.since), severity = excluded.severity,
                      facts = excluded.facts`,
  values,
  read: (row) => row as never,
};
