import { sentenceOf } from "../api/problem.js";
import type { Cluster, Stats } from "../api/wire.js";
import type { Feed } from "../feeds/feed.js";
import type { Severity } from "../ui/finding.js";
import type { Finding } from "./findings.js";

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
  const broken = countOf("critical", findings);
  const soon = countOf("warning", findings);
  if (broken + soon > 0) return { level: broken > 0 ? "critical" : "warning", text: needsText(broken, soon) };
  return { level: "good", text: isForbidden ? "All is well in what this key may see" : "All is well" };
}

function countOf(severity: Severity, findings: readonly Finding[]): number {
  return findings.filter((finding) => finding.severity === severity).length;
}

/** `One thing is broken, two need you soon`. */
function needsText(broken: number, soon: number): string {
  const parts = [
    broken > 0 && `${thingsText(broken)} ${broken === 1 ? "is" : "are"} broken`,
    soon > 0 && `${broken > 0 ? numberText(soon) : thingsText(soon)} ${soon === 1 ? "needs" : "need"} you soon`,
  ];
  const text = parts.filter((part) => part !== false).join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const thingsText = (count: number): string => `${numberText(count)} thing${count === 1 ? "" : "s"}`;

const words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

const numberText = (count: number): string => words[count] ?? String(count);

/** What to say of figures that could not be read again. Null if they could. */
export function staleTextOf(feeds: readonly Feed<unknown>[]): string | null {
  const failing = feeds.find(({ problem }) => problem && problem.status !== 403 && problem.status !== 404);
  return failing?.problem ? sentenceOf(failing.problem) : null;
}
