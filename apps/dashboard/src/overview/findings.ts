import type { Cluster, ClusterNode, Stats, TaskState } from "../api/wire.js";
import { formatCount, formatDuration, formatNumberOf } from "../time/format.js";
import { fragmentOf } from "../place/route.js";
import type { Severity } from "../ui/finding.js";

/** Something that an operator should know before anything else. */
export interface Finding {
  readonly severity: Severity;
  readonly title: string;
  readonly detail: string;
  /** Where to look further. */
  readonly href?: string;
}

/** From when on a figure is worth a line. They follow the scheduler's own limits and promises. */
export const limits = {
  /** A due task starts within 1.2 s even when the hint for it is lost. */
  oldestDueWarningMs: 1_200,
  oldestDueErrorMs: 10_000,
  latenessP99Ms: 250,
  /** Three missed beats make a node suspect. */
  heartbeatAgeMs: 3_000,
  loopLagMs: 100,
  clockOffsetMs: 500,
} as const;

const ranks: Record<Severity, number> = { critical: 0, warning: 1, notice: 2 };

/** What is wrong, the worst first. What is not known (null) is not judged. */
export function findingsOf(cluster: Cluster | null, stats: Stats | null, now: number): Finding[] {
  const findings = [...(cluster ? clusterFindings(cluster, now) : []), ...(stats ? statsFindings(stats) : [])];
  return findings.sort((a, b) => ranks[a.severity] - ranks[b.severity]);
}

function clusterFindings(cluster: Cluster, now: number): Finding[] {
  const { leader, nodes } = cluster;
  const hasEngine = nodes.some(({ state, roles }) => state === "live" && roles.includes("engine"));
  return [
    ...degradedFindings(cluster, now),
    ...kept([
      leader === null && critical("No leader", "Dead nodes are not noticed and views do not change."),
      !hasEngine && critical("No live engine", "No node runs tasks."),
    ]),
    ...nodes.flatMap(nodeFindings),
    ...versionFindings(nodes),
  ];
}

function degradedFindings({ degraded, coordination }: Cluster, now: number): Finding[] {
  const parts = degraded.map(({ part, since, detail }) => {
    const lastsMs = Math.max(0, now - Date.parse(since));
    return critical(`${part} is degraded`, `For ${formatDuration(lastsMs)}: ${detail}`);
  });
  const isUnsaid = coordination === "postgres-degraded" && !degraded.some(({ part }) => part === "redis");
  return [...parts, ...kept([isUnsaid && warning("Redis is away", "Nodes coordinate through Postgres.")])];
}

function nodeFindings(node: ClusterNode): Finding[] {
  const { label, heartbeatAgeMs, loopLagMs, clockOffsetMs } = node;
  const lastBeat = `Last heartbeat ${formatDuration(heartbeatAgeMs)} ago.`;
  switch (node.state) {
    case "dead":
      return [warning(`${label} is dead`, "Other nodes take over its tasks.")];
    case "suspect":
      return [warning(`${label} is suspect`, lastBeat)];
    case "draining":
      return [notice(`${label} is draining`, "It takes no new tasks.")];
    case "joining":
      return [notice(`${label} is joining`, "It takes no tasks yet.")];
    case "live":
      return kept([
        isAbove(heartbeatAgeMs, limits.heartbeatAgeMs) && warning(`${label} misses heartbeats`, lastBeat),
        isAbove(loopLagMs, limits.loopLagMs) &&
          warning(`${label} is busy`, `Its event loop lags by ${formatDuration(loopLagMs)}.`),
        isAbove(Math.abs(clockOffsetMs ?? 0), limits.clockOffsetMs) &&
          warning(`${label} has a wrong clock`, `It is ${formatDuration(clockOffsetMs)} off the database's.`),
      ]);
  }
}

function versionFindings(nodes: readonly ClusterNode[]): Finding[] {
  const versions = new Set(nodes.filter(({ state }) => state !== "dead").map(({ version }) => version));
  return kept([versions.size > 1 && notice("Nodes run different versions", [...versions].sort().join(", "))]);
}

function statsFindings(stats: Stats): Finding[] {
  const { failed, started, latenessMs } = stats.lastMinute;
  const p99 = latenessMs?.p99 ?? null;
  const dead = stats.counts.dead;
  return [
    ...dueFindings(stats),
    ...kept([
      isAbove(p99, limits.latenessP99Ms) &&
        warning("Lateness is high", `The p99 of the last minute is ${formatDuration(p99)}.`),
      failed > 0 &&
        warning(
          "Attempts fail",
          `${formatNumberOf(failed, "attempt")} failed in the last minute, ${formatCount(started)} started.`,
        ),
      dead > 0 &&
        warning(formatNumberOf(dead, "dead task"), "They run again only when somebody retries them.", listOf("dead")),
    ]),
  ];
}

function dueFindings({ dueNow, oldestDueMs }: Stats): Finding[] {
  const detail = `${formatNumberOf(dueNow, "task")} due now, the oldest for ${formatDuration(oldestDueMs)}.`;
  if (isAbove(oldestDueMs, limits.oldestDueErrorMs)) {
    return [critical("Due tasks do not start", detail, listOf("scheduled"))];
  }
  const isLate = isAbove(oldestDueMs, limits.oldestDueWarningMs);
  return kept([isLate && warning("Due tasks start late", detail, listOf("scheduled"))]);
}

function listOf(state: TaskState): string {
  return fragmentOf({ page: "tasks", filter: { state } });
}

function isAbove(value: number | null, limit: number): boolean {
  return value !== null && value > limit;
}

function kept(findings: readonly (Finding | false)[]): Finding[] {
  return findings.filter((finding) => finding !== false);
}

function critical(title: string, detail: string, href?: string): Finding {
  return { severity: "critical", title, detail, href };
}

function warning(title: string, detail: string, href?: string): Finding {
  return { severity: "warning", title, detail, href };
}

function notice(title: string, detail: string): Finding {
  return { severity: "notice", title, detail };
}
