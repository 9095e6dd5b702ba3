import { LATENESS_PARTS } from "@tickwheel/core";
import type { IndexedRun } from "../history/indexed-history.js";
import { latenessOf } from "../history/lateness.js";
import { LATENESS_SITUATIONS } from "../history/lateness-promises.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";

/** How late a start may be, and what is told of it. */
export const latenessRules = {
  "lateness-in-parts": latenessInParts,
  "lateness-hard-bound": latenessHardBound,
  "lateness-p99": latenessP99,
} satisfies Rules;

/** Fewer starts than this have no 99th percentile. */
const MIN_STARTS = 100;

/**
 * [parts-add-up]: where an end of an execution keeps the lateness of its start in parts, none is negative and they add
 * up to it. Where a fail-over has forgotten a claim and its fence came again, the end may be that of the forgotten
 * start.
 */
function latenessInParts({ changes, rewound }: IndexedRun): Finding[] {
  return findingsIn(changes, (change) => {
    const { before, after } = change;
    if (after && rewound.has(after.id)) return null;
    if (before?.state !== "running" || !after?.latenessParts || after.startedAt === before.startedAt) return null;
    const { latenessParts } = after;
    const latenessMs = Math.max(0, after.startedAt! - Math.max(before.dueAt, before.createdAt));
    const parts = LATENESS_PARTS.map((part) => latenessParts[part]);
    const sumMs = parts.reduce((sum, partMs) => sum + partMs, 0);
    if (sumMs === latenessMs && parts.every((partMs) => partMs >= 0)) return null;
    return finding(after.id, `a start was ${latenessMs} ms late, and its parts are ${parts.join(", ")} ms`, [change]);
  });
}

/** [lateness-bounds]: no start is later than the hard bound of the situation that it went through. */
function latenessHardBound(known: IndexedRun): Finding[] {
  return latenessOf(known)
    .filter(({ latenessMs, hardMs }) => latenessMs > hardMs)
    .map(({ taskId, start, scheduling, situation, latenessMs, hardMs }) =>
      finding(taskId, `a start was ${latenessMs} ms late, ${hardMs} ms are allowed (${situation})`, [
        scheduling,
        start,
      ]),
    );
}

/** [lateness-bounds]: of each situation with at least 100 starts, 99 % are no later than its p99. */
function latenessP99(known: IndexedRun): Finding[] {
  const all = latenessOf(known);
  return LATENESS_SITUATIONS.flatMap((situation) => {
    const those = all.filter((each) => each.situation === situation).sort((a, b) => a.latenessMs - b.latenessMs);
    const p99 = those[Math.ceil(those.length * 0.99) - 1];
    const { p99Ms } = known.options.lateness[situation];
    if (those.length < MIN_STARTS || !p99 || p99.latenessMs <= p99Ms) return [];
    const message = `p99 of ${those.length} starts is ${p99.latenessMs} ms, ${p99Ms} ms are allowed (${situation})`;
    return finding(null, message, [p99.scheduling, p99.start]);
  });
}
