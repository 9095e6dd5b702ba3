import type { Findings } from "../api/asked.js";
import type { Finding, Severity } from "../api/wire.js";
import { sentenceOf } from "../api/problem.js";
import type { Feed } from "../feeds/feed.js";

/** The page's answer to "is it well?" in one line. */
export interface Verdict {
  readonly level: Severity | "good" | "unknown";
  readonly text: string;
}

export interface VerdictSource {
  readonly findings: Feed<Findings>;
  /** Since when the figures are old; null: they are current. As text of a clock. */
  readonly oldSince: string | null;
  /** The key sees the whole cluster. */
  readonly seesAll: boolean;
}

/** Old or missing findings are never called good. */
export function verdictOf({ findings: { value, problem }, oldSince, seesAll }: VerdictSource): Verdict {
  if (oldSince !== null) return { level: "unknown", text: `State unknown: no figures since ${oldSince}` };
  if (!value) return { level: "unknown", text: problem ? "State unknown: no figures yet" : "Reading the figures…" };
  const broken = countOf("critical", value.now);
  const soon = countOf("warning", value.now);
  if (broken + soon > 0) return { level: broken > 0 ? "critical" : "warning", text: needsText(broken, soon) };
  return { level: "good", text: seesAll ? "All is well" : "All is well in what you may see" };
}

/** How many need somebody. */
export function urgentCount(findings: readonly Finding[]): number {
  return findings.filter(({ severity }) => severity !== "notice").length;
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
