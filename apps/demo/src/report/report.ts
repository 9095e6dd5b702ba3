import type { ScheduleRuns } from "../cluster/shop-cluster.js";
import { FAULT_KINDS, type FaultKind, type Verdict } from "../verdict/judge.js";
import { milliseconds } from "./status-line.js";

/** What the verdict is about. */
export interface RunFacts {
  /** `ip:pid`; null when none was killed. */
  killedNode: string | null;
  coordination: string;
  /** Live nodes at the end. */
  nodes: number;
  durationMs: number;
  /** The runs of the shop's schedule; null: no node told them. */
  schedule: ScheduleRuns | null;
  /** What went wrong beside the orders: a node that crashed, orders that did not settle. */
  troubles: readonly string[];
}

/** The last line of `--json`. */
export interface JsonReport {
  orders: number;
  cancelledAcked: number;
  fired: number;
  firedTwice: number;
  firedEarly: number;
  firedAfterCancelAck: number;
  lost: number;
  differsFromData: number;
  latenessMs: Verdict["latenessMs"];
  takeover: { killedNode: string | null } & Verdict["takeover"];
  coordination: string;
  nodes: number;
  durationMs: number;
  /** Why a time that was missed was not judged; null: all was judged. */
  tooSlowToJudge: string | null;
  ok: boolean;
}

const SHOWN_ORDERS = 5;
const FAULT_TEXTS: Record<FaultKind, string> = {
  lost: "neither paid nor cancelled",
  firedTwice: "cancelled twice",
  firedEarly: "started before their time",
  firedAfterCancelAck: "cancelled although their payment was acknowledged",
  differsUnexplained: "differ from the data without a reason",
};

/** The report for programs. */
export function jsonReport(verdict: Verdict, facts: RunFacts): JsonReport {
  const { faults, latenessMs, takeover } = verdict;
  return {
    orders: verdict.orders,
    cancelledAcked: verdict.cancelledAcked,
    fired: verdict.fired,
    firedTwice: faults.firedTwice.length,
    firedEarly: faults.firedEarly.length,
    firedAfterCancelAck: faults.firedAfterCancelAck.length,
    lost: faults.lost.length,
    differsFromData: verdict.differsFromData,
    latenessMs: { p50: rounded(latenessMs.p50), p99: rounded(latenessMs.p99), max: rounded(latenessMs.max) },
    takeover: {
      killedNode: facts.killedNode,
      pendingWorstLatenessMs: rounded(takeover.pendingWorstLatenessMs),
      runningWorstLatenessMs: rounded(takeover.runningWorstLatenessMs),
      rerun: takeover.rerun,
    },
    coordination: facts.coordination,
    nodes: facts.nodes,
    durationMs: Math.round(facts.durationMs),
    tooSlowToJudge: verdict.tooSlowToJudge,
    ok: verdict.ok && facts.troubles.length === 0,
  };
}

/** The report for people. */
export function textReport(verdict: Verdict, facts: RunFacts): string {
  const { faults, latenessMs, takeover } = verdict;
  const rows: [string, string][] = [
    ["orders", `${verdict.orders} in ${(facts.durationMs / 1_000).toFixed(0)} s`],
    [
      "paid",
      `${verdict.cancelledAcked} acknowledged, ${faults.firedAfterCancelAck.length} of them cancelled all the same`,
    ],
    ["cancelled", `${verdict.fired}; ${faults.firedTwice.length} twice, ${faults.firedEarly.length} early`],
    ["lost", `${faults.lost.length}`],
    ["against data", `${verdict.differsFromData} differ, ${faults.differsUnexplained.length} of them without a reason`],
    [
      "lateness",
      `p50 ${milliseconds(latenessMs.p50)}, p99 ${milliseconds(latenessMs.p99)}, max ${milliseconds(latenessMs.max)}`,
    ],
    ["killed", facts.killedNode ?? "no node"],
    ["  its pending", `first started at most ${milliseconds(takeover.pendingWorstLatenessMs)} late`],
    [
      "  its running",
      `${takeover.rerun} run again, at most ${milliseconds(takeover.runningWorstLatenessMs)} after the kill`,
    ],
    ["schedule", scheduleText(facts.schedule)],
    ["cluster", `${facts.nodes} nodes, coordination ${facts.coordination}`],
  ];
  const isOk = verdict.ok && facts.troubles.length === 0;
  return [
    "",
    ...rows.map(([name, text]) => `  ${name.padEnd(14)}${text}`),
    ...FAULT_KINDS.filter((kind) => faults[kind].length > 0).map((kind) => `  ✗ ${faultLine(kind, faults[kind])}`),
    ...facts.troubles.map((trouble) => `  ✗ ${trouble}`),
    ...(verdict.tooSlowToJudge === null ? [] : [`  too slow to judge: ${verdict.tooSlowToJudge}`]),
    "",
    isOk ? "  ok: nothing lost, doubled, early, or cancelled after its payment" : "  NOT ok",
    "",
  ].join("\n");
}

function scheduleText(schedule: ScheduleRuns | null): string {
  if (!schedule) return "no node told its runs";
  return `${schedule.name} ran ${schedule.runs} times, and ${schedule.skipped} of its instants were skipped`;
}

function faultLine(kind: FaultKind, orders: readonly string[]): string {
  const more = orders.length > SHOWN_ORDERS ? ` and ${orders.length - SHOWN_ORDERS} more` : "";
  return `${orders.length} orders ${FAULT_TEXTS[kind]}: ${orders.slice(0, SHOWN_ORDERS).join(", ")}${more}`;
}

/** To a tenth of a millisecond. */
function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
