import type { Cause, FindingCode, FindingValues, Severity } from "../ports/finding.js";

const SEVERITY_OF: Readonly<Record<FindingCode, Severity>> = {
  POSTGRES_AWAY: "critical",
  REDIS_AWAY: "warning",
  TYPE_WITHOUT_NODE: "critical",
  SCHEDULE_WITHOUT_NODE: "warning",
  SCHEDULE_PAUSED: "warning",
  BATCH_OVERDUE: "warning",
  BATCH_UNSEALED: "warning",
  TYPE_FAILING: "warning",
  PLACES_TAKEN: "warning",
  OVERDUE_UNEXPLAINED: "critical",
  LOOP_BLOCKED: "critical",
  NODE_SUSPECT: "warning",
  NODE_DIED: "notice",
  NO_LEADER: "warning",
  CLOCK_OFF: "warning",
  FUTURE_OVER_CAPACITY: "warning",
  VERSIONS_DIFFER: "notice",
  POLICIES_DIFFER: "notice",
  NODE_WITHOUT_REDIS: "warning",
  SCHEDULE_UNANNOUNCED: "notice",
};

/** A cause about the cluster, or with a subject about a type, a node or a namespace. */
export function causeOf(
  code: FindingCode,
  facts: FindingValues,
  { subject = "", namespace = null, knownAt }: Partial<Pick<Cause, "subject" | "namespace" | "knownAt">> = {},
): Cause {
  const known = knownAt === undefined ? {} : { knownAt };
  return { code, subject, namespace, severity: SEVERITY_OF[code], facts, ...known };
}
