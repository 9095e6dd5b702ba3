import { sentenceOf } from "../api/problem.js";
import type { Cluster, Stats } from "../api/wire.js";
import type { Feed } from "../feed.js";
import { formatNumberOf } from "../format.js";
import type { Finding, Severity } from "./findings.js";

/** The page's answer to "is it well?" in one line. */
export interface Verdict {
  readonly level: Severity | "good" | "unknown";
  readonly text: string;
}

/** Old or missing figures are never called good. */
export function verdictOf(cluster: Feed<Cluster>, stats: Feed<Stats>, findings: readonly Finding[]): Verdict {
  const isForbidden = cluster.problem?.status === 403;
  if (stats.problem || (cluster.problem && !isForbidden)) {
    return { level: "unknown", text: "State unknown: no current figures" };
  }
  if (!stats.value || (!cluster.value && !isForbidden)) return { level: "unknown", text: "Reading the figures…" };
  const level = (["error", "warning"] as const).find((severity) => findings.some((one) => one.severity === severity));
  const problems = findings.filter((one) => one.severity !== "info").length;
  if (level) return { level, text: formatNumberOf(problems, "problem") };
  return { level: "good", text: isForbidden ? "No problem found in what this key may see" : "No problem found" };
}

/** What to say of figures that could not be read again. Null if they could. */
export function staleTextOf(feeds: readonly Feed<unknown>[]): string | null {
  const failing = feeds.find(({ problem }) => problem && problem.status !== 403 && problem.status !== 404);
  return failing?.problem ? sentenceOf(failing.problem) : null;
}
