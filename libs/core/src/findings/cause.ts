import { type Cause, type FindingCode, FINDINGS, type FindingValues } from "../reports/finding.js";

/** A cause about the cluster, or with a subject about a type, a node or a namespace. */
export function causeOf(
  code: FindingCode,
  facts: FindingValues,
  { subject = "", namespace = null, knownAt }: Partial<Pick<Cause, "subject" | "namespace" | "knownAt">> = {},
): Cause {
  const known = knownAt === undefined ? {} : { knownAt };
  return { code, subject, namespace, severity: FINDINGS[code].severity, facts, ...known };
}
