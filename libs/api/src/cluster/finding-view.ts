import {
  type ApiKey,
  type Finding,
  type FindingCode,
  type FindingReport,
  type FindingValues,
  sentencesOf,
  type Severity,
} from "@tickwheel/core";

/** A finding as a client sees it. */
export interface FindingView {
  id: string;
  code: FindingCode;
  severity: Severity;
  since: string;
  until: string | null;
  title: string;
  consequence: string;
  cure: string;
  facts: FindingValues;
}

/** `GET /findings` as a client sees it. */
export interface FindingReportView {
  at: string;
  now: FindingView[];
  lastDay: FindingView[];
}

/**
 * What a key may know of the findings: those of its namespace; with the right `cluster` all. That Postgres is away
 * concerns everybody.
 */
export function toFindingReport(
  report: FindingReport,
  apiKey: Pick<ApiKey, "namespace" | "cluster">,
): FindingReportView {
  const isShown = ({ namespace, code }: Finding): boolean =>
    apiKey.cluster || namespace === apiKey.namespace || code === "POSTGRES_AWAY";
  const views = (findings: readonly Finding[]): FindingView[] => findings.filter(isShown).map(toView);
  return { at: new Date(report.at).toISOString(), now: views(report.now), lastDay: views(report.lastDay) };
}

function toView(finding: Finding): FindingView {
  const { id, code, severity, since, until, facts } = finding;
  const times = { since: new Date(since).toISOString(), until: until === null ? null : new Date(until).toISOString() };
  return { id, code, severity, ...times, ...sentencesOf(finding), facts };
}
