import type { ClusterWheel, OverCapacity, WheelShare } from "../api/wire.js";
import type { WheelFacts } from "../wheel/wheel-words.js";
import { type DueBucket, type Wheel, wheelOf } from "../wheel/wheel.js";

/** What the page shows of the cluster's wheel. Pure. */

export interface ShownWheel {
  readonly all: Wheel;
  /** The share of the chosen node; null: all are shown. */
  readonly share: Wheel | null;
  /** The facts that stand out. */
  readonly facts: WheelFacts;
  readonly firstAt: string;
  readonly nextDueAt: string | null;
  /** Entries in the wheels that stand out, as their newest beats told; null: none has told. */
  readonly inMemory: number | null;
}

/** @param label of the chosen node; a node that is not in the view has no share, and all is shown */
export function shownWheel(wheel: ClusterWheel, label: string | undefined): ShownWheel {
  const { all, nodes, capacity, countedAt } = wheel;
  const chosen = label === undefined ? undefined : nodes.find((node) => node.label === label);
  const whole = { buckets: bucketsOf(all, countedAt), capacity };
  const shown = chosen ?? all;
  const told = (chosen ? [chosen] : nodes).flatMap(({ inMemory }) => inMemory ?? []);
  return {
    all: wheelOf(whole),
    share: chosen ? wheelOf({ buckets: bucketsOf(chosen, countedAt), capacity }, whole) : null,
    facts: { capacity, ...overdueOf(shown), countedAt, over: chosen ? null : overOf(wheel, whole.buckets) },
    firstAt: countedAt,
    nextDueAt: shown.nextDueAt,
    inMemory: told.length === 0 ? null : told.reduce((sum, entries) => sum + entries, 0),
  };
}

/** How many tasks of the minute to come a node owns; null: it is not in the view that was counted for. */
export function dueOf({ nodes }: Pick<ClusterWheel, "nodes">, bootId: string): number | null {
  const node = nodes.find((one) => one.bootId === bootId);
  return node ? node.seconds.reduce((sum, due) => sum + due, 0) : null;
}

function overdueOf({ overdue, overdueAtLeast }: WheelShare): Pick<WheelShare, "overdue" | "overdueAtLeast"> {
  return { overdue, overdueAtLeast };
}

function bucketsOf({ seconds }: WheelShare, countedAt: string): DueBucket[] {
  const from = Date.parse(countedAt);
  return seconds.map((due, second) => ({ at: new Date(from + second * 1_000).toISOString(), due }));
}

function overOf(
  { capacity: { perSecond } }: ClusterWheel,
  buckets: readonly DueBucket[],
): Pick<OverCapacity, "at" | "due" | "lateMs"> | null {
  if (perSecond === null || perSecond === 0) return null;
  const over = buckets.find(({ due }) => due > perSecond);
  return over ? { ...over, lateMs: Math.round(((over.due - perSecond) / perSecond) * 1_000) } : null;
}
