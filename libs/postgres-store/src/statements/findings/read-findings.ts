import type { EpochMs, Finding, FindingCode, FindingValues, Severity } from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { RawRow, Statement } from "../../connection/session.js";
import { readInstant } from "../../sql/task-rows.js";

const COLUMNS = `id::text AS id, code, subject, namespace, severity, facts::text AS facts, ${epochMs("since")} AS since, ${epochMs("until")} AS until`;

/** The open findings. */
export const openFindings: Statement<null, Finding> = {
  name: "open_findings",
  sql: (schema) => `SELECT ${COLUMNS} FROM ${schema}.finding WHERE until IS NULL`,
  values: () => [],
  read: findingOf,
};

/** Findings that ended within the last day, newest first. */
export const closedFindings: Statement<{ limit: number; asOf: EpochMs | null }, Finding> = {
  name: "closed_findings",
  sql: (schema) => `
    SELECT ${COLUMNS} FROM ${schema}.finding
     WHERE until > (SELECT ${now("$1")} - interval '1 day') ORDER BY finding.until DESC, finding.id LIMIT $2`,
  values: ({ limit, asOf }) => [asOf, limit],
  read: findingOf,
};

function findingOf(row: RawRow): Finding {
  return {
    id: row.id as string,
    code: row.code as FindingCode,
    subject: row.subject as string,
    namespace: row.namespace as string | null,
    severity: row.severity as Severity,
    facts: JSON.parse(row.facts as string) as FindingValues,
    since: readInstant(row.since),
    until: row.until === null ? null : readInstant(row.until),
  };
}
