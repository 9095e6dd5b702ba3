import {
  type MetricLabels,
  type MetricName,
  type MetricReading,
  type MetricSample,
  type TypeId,
} from "@tickwheel/core";
import { Distribution } from "./distribution.js";
import { OutcomeCounts } from "./outcome-counts.js";

/** How many types have values of their own; those that come later share one, under the name {@link OTHER}. */
export const MAX_NAMED_TYPES = 100;
export const OTHER = "other";

/** What a type's name is; undefined: this node does not know the type. */
export type NameOf = (typeId: TypeId) => { namespace: string; type: string } | undefined;

/** What happened to tasks of one type since the node was made. */
export class TypeTotal extends OutcomeCounts {
  /** Ended dead by a leader, after too many nodes had died with them: no attempt failed. */
  crashed = 0;
  readonly lateness = new Distribution();
  readonly runs = new Distribution();
  /** Kept for a type that is dropped later. */
  labels: MetricLabels | null = null;

  add(other: TypeTotal): void {
    this.addOutcomes(other);
    this.crashed += other.crashed;
    this.lateness.add(other.lateness);
    this.runs.add(other.runs);
  }
}

/** How each metric of types is read. */
const READ: readonly (readonly [MetricName, (total: TypeTotal) => MetricSample["value"]])[] = [
  ["tickwheel_tasks_created_total", ({ created }) => created],
  ["tickwheel_tasks_succeeded_total", ({ succeeded }) => succeeded],
  ["tickwheel_tasks_skipped_total", ({ skipped }) => skipped],
  ["tickwheel_tasks_dead_total", ({ dead, crashed }) => dead + crashed],
  ["tickwheel_tasks_cancelled_total", ({ cancelled }) => cancelled],
  ["tickwheel_task_failures_total", ({ failed }) => failed],
  ["tickwheel_task_retries_total", ({ failed, dead }) => failed - dead],
  ["tickwheel_task_lateness_seconds", ({ lateness }) => lateness.read()],
  ["tickwheel_task_run_seconds", ({ runs }) => runs.read()],
];

/**
 * What happened to tasks on this node since it was made, by type. Bounded: {@link MAX_NAMED_TYPES} types have totals of
 * their own, and the rest is one. A type that was dropped and made again goes on under its name.
 */
export class TypeTotals {
  private readonly byType = new Map<TypeId, TypeTotal>();
  private readonly others = new TypeTotal();

  of(typeId: TypeId): TypeTotal {
    const known = this.byType.get(typeId);
    if (known) return known;
    if (this.byType.size >= MAX_NAMED_TYPES) return this.others;
    const total = new TypeTotal();
    this.byType.set(typeId, total);
    return total;
  }

  /** A type whose name this node does not know yet is told as soon as it does. */
  read(nameOf: NameOf): MetricReading[] {
    const totals = this.named(nameOf);
    return READ.map(([name, valueOf]) => ({
      name,
      samples: totals.map((total) => ({ labels: total.labels!, value: valueOf(total) })),
    }));
  }

  private named(nameOf: NameOf): TypeTotal[] {
    const byName = new Map<string, TypeTotal>();
    for (const [typeId, total] of this.byType) {
      total.labels ??= labelsOf(nameOf(typeId));
      if (!total.labels) continue;
      const name = JSON.stringify(total.labels);
      byName.set(name, byName.has(name) ? sumOf(byName.get(name)!, total) : total);
    }
    if (this.byType.size < MAX_NAMED_TYPES) return [...byName.values()];
    this.others.labels = { namespace: OTHER, type: OTHER };
    return [...byName.values(), this.others];
  }
}

function labelsOf(named: { namespace: string; type: string } | undefined): MetricLabels | null {
  return named ? { namespace: named.namespace, type: named.type } : null;
}

function sumOf(one: TypeTotal, other: TypeTotal): TypeTotal {
  const sum = new TypeTotal();
  sum.labels = one.labels;
  for (const total of [one, other]) sum.add(total);
  return sum;
}
