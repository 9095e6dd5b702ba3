import { type Cause, FINDING_CODES, SEVERITIES } from "../reports/finding.js";

/** Sorts the worst first: by severity, then in the order of the codes, then by subject. */
export function inNeed(one: Cause, other: Cause): number {
  return (
    SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
    FINDING_CODES.indexOf(one.code) - FINDING_CODES.indexOf(other.code) ||
    one.subject.localeCompare(other.subject, "en")
  );
}

/** What is the same for two sightings of one cause. */
export function identityOf({ code, subject }: Pick<Cause, "code" | "subject">): string {
  return `${code} ${subject}`;
}
