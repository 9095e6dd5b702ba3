import { formatLine } from "@tickwheel/core/filter";
import type { DeadGroup, DeadGroupDetails } from "../api/wire.js";
import { formatCount, formatNumberOf } from "../time/format.js";

const reasons: Readonly<Record<string, string>> = {
  ATTEMPTS: "attempts used up",
  CRASHES: "its nodes crashed",
  NON_RETRYABLE: "not retryable",
  PAYLOAD_INVALID: "payload does not fit",
  RESULT_INVALID: "result does not fit",
};

/** Why the last task of a group was given up; a reason that is not known speaks for itself. */
export function whyDead(reason: string): string {
  return reasons[reason] ?? reason;
}

/** What a group is called. */
export function nameOfGroup({ fingerprint, title }: Pick<DeadGroup, "fingerprint" | "title">): string {
  if (fingerprint === null) return "Other causes";
  return title === "" ? "An error without words" : title;
}

/** Whether a task has died of it since somebody looked at it last. */
export function isUnseen({ lastAt, seenAt }: Pick<DeadGroup, "lastAt" | "seenAt">): boolean {
  return seenAt === null || Date.parse(lastAt) > Date.parse(seenAt);
}

/** @example "143 tasks have 6 causes" */
export function deadSentence({ tasks, causes }: { tasks: number; causes: number }): string {
  if (tasks === 0) return "No task is dead.";
  const have = tasks === 1 ? "has" : "have";
  return `${formatNumberOf(tasks, "task")} ${have} ${formatNumberOf(causes, "cause")}.`;
}

/** Hours that one bar tells of. */
const hoursOfBar = 3;

/** Deaths by three hours, the oldest first. */
export function deathBars(hours: readonly number[]): number[] {
  const bars: number[] = [];
  for (let from = 0; from < hours.length; from += hoursOfBar)
    bars.push(hours.slice(from, from + hoursOfBar).reduce((sum, deaths) => sum + deaths, 0));
  return bars;
}

/** What the bars show, in words. */
export function deathsText(hours: readonly number[]): string {
  const deaths = (some: readonly number[]): string => formatCount(some.reduce((sum, count) => sum + count, 0));
  return `${deaths(hours)} deaths in 7 days, ${deaths(hours.slice(-24))} of them in the last 24 hours`;
}

/** Where its tasks died: whether it is one node. */
export function nodesText(
  { nodes, lookedAt, count }: Pick<DeadGroupDetails, "nodes" | "lookedAt" | "count">,
  nameOf: (label: string) => string = (label) => label,
): string {
  const names = nodes
    .map((one) => `${one.node === null ? "forgotten" : nameOf(one.node)} ${formatCount(one.count)}`)
    .join(", ");
  const verdict = nodes.length === 1 ? "only there" : "it is not one node";
  const of = lookedAt < count ? `; of the newest ${formatCount(lookedAt)}` : "";
  return nodes.length === 0 ? "none is remembered" : `${names}: ${verdict}${of}`;
}

export function versionsText({ versions }: Pick<DeadGroupDetails, "versions">): string {
  return versions.map((one) => `${one.version ?? "forgotten"} ${formatCount(one.count)}`).join(", ");
}

export function retryingText({ retrying: { count, isAtLeast } }: Pick<DeadGroupDetails, "retrying">): string {
  if (count === 0) return isAtLeast ? "none of those due first" : "no other task waits after it";
  return `${isAtLeast ? "at least " : ""}${formatCount(count)} more wait for a further attempt`;
}

/** The tasks of a group as the filter of an operation. */
export function filterOfGroup({ type, fingerprint }: { type: string; fingerprint: string }) {
  return { type, state: ["dead"], fingerprint } as const;
}

/** The same as the line of a list. */
export function lineOfGroup({ type, fingerprint }: { type: string; fingerprint: string }): string {
  return formatLine({ type, fingerprint });
}

/** From so large a share of failed attempts on, a retry would very likely come to nothing. */
const stillFails = 0.2;

/** What warns before a retry; null: nothing speaks against it. */
export function failingText(failedShare: number | null): string | null {
  if (failedShare === null || failedShare < stillFails) return null;
  return `${formatCount(Math.round(failedShare * 100))} % of the attempts of the last five minutes failed: they would very likely die again.`;
}
