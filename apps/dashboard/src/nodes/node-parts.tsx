import type { ClusterNode } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";
import { formatDuration } from "../time/format.js";
import { blockedWords, isTooMuch } from "./node-words.js";

/** What holds its loop, and what it does not reach. */
export function Trouble({ node: { blocked, away } }: { node: ClusterNode }) {
  if (!blocked && away.length === 0) return null;
  return (
    <p class="trouble ink is-overdue">
      {blocked && (
        <span>
          {blockedWords(blocked)}{" "}
          {blocked.lastStarted && <a href={fragmentOf({ page: "task", id: blocked.lastStarted })}>Last started task</a>}
        </span>
      )}
      {away.length > 0 && <span>It does not reach {away.map(partName).join(" and ")}.</span>}
    </p>
  );
}

const partName = (part: "redis" | "postgres"): string => (part === "redis" ? "Redis" : "Postgres");

/** A duration in milliseconds, marked beyond its limit. */
export function MarkedDuration({ durationMs, limitMs }: { durationMs: number | null; limitMs: number }) {
  const isBad = isTooMuch(durationMs, limitMs);
  return <span class={isBad ? "ink is-overdue strong" : undefined}>{formatDuration(durationMs)}</span>;
}
