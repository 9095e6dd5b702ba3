import type { BootId } from "@tickwheel/core";
import type { HistoryOptions } from "./history.js";
import type { Execution } from "./task-history.js";
import type { Fault, FaultBegan, HistoryEvent, NodeLoss } from "./history-event.js";

/** A fault, or that there was no node which could start anything, or none that was to stay. */
export type SpanFault = Fault | { name: "no-node" };

/** How long a fault was on and could be felt, by the observer's clock. */
export interface FaultSpan {
  fault: SpanFault;
  /** For a fail-over: when the first commit was made that it forgot. */
  beganMonoMs: number;
  /** Infinity: it was never ended. */
  endedMonoMs: number;
  /** From here on everything is promised as if it had not been. */
  recoveredMonoMs: number;
  /** Null: read from the nodes' coming and going. */
  event: FaultBegan | null;
}

/** Which faults keep a node from working, for as long as they last. */
const DISABLING: readonly string[] = ["pause", "postgres-cut", "loop-blocked"] satisfies Fault["name"][];

/** After which a node starts nothing more under its boot id. */
export const LEAVING: readonly HistoryEvent["kind"][] = ["draining", "goodbye", "declared-dead"];

/**
 * The faults of a history by their beginning, the times without any node, and those in which a node takes nothing of a
 * type.
 *
 * @param events with those that a fail-over forgot
 */
export function faultSpans(
  events: readonly HistoryEvent[],
  options: HistoryOptions,
  suspects: readonly Execution[] = [],
): FaultSpan[] {
  const raw = [...recordedSpans(events), ...spansWithoutNode(events), ...suspects.map(closedSpan)];
  return raw
    .map((span) => ({ ...span, recoveredMonoMs: recoveredFrom(span, raw, options) }))
    .sort((a, b) => a.beganMonoMs - b.beganMonoMs);
}

/**
 * When Postgres was away: no node can beat then, so none ages, and a node that was not suspect yet is watched anew from
 * its end.
 */
export function outagesIn(spans: readonly RawSpan[]): { beganMonoMs: number; overMonoMs: number }[] {
  return spans
    .filter(({ fault }) => fault.name === "postgres-away" || fault.name === "failover")
    .map(({ beganMonoMs, endedMonoMs }) => ({ beganMonoMs, overMonoMs: endedMonoMs }));
}

export function isNodeLoss(fault: SpanFault): fault is { name: NodeLoss; bootId: BootId } {
  return fault.name === "crash" || fault.name === "pause" || fault.name === "postgres-cut";
}

/**
 * A deadline so long after `fromMonoMs` and, where something began to be in the way before it passed, so long after
 * that was over.
 */
export function deadlineBehind(
  obstacles: readonly { beganMonoMs: number; overMonoMs: number }[],
  { fromMonoMs, withinMs }: { fromMonoMs: number; withinMs: number },
): number {
  let deadline = fromMonoMs + withinMs;
  for (const { beganMonoMs, overMonoMs } of obstacles)
    if (beganMonoMs <= deadline && overMonoMs >= fromMonoMs) deadline = Math.max(deadline, overMonoMs + withinMs);
  return deadline;
}

/** While a suspect waits for its start and runs, its node takes nothing else of its type. */
function closedSpan({ claims, exit, end }: Execution): RawSpan {
  const endedMonoMs = Math.max(exit?.monoMs ?? Infinity, end?.monoMs ?? 0);
  return { fault: { name: "overload" }, beganMonoMs: claims[0]!.monoMs, endedMonoMs, event: null };
}

type RawSpan = Omit<FaultSpan, "recoveredMonoMs">;

function recordedSpans(events: readonly HistoryEvent[]): RawSpan[] {
  const spans: RawSpan[] = [];
  const open = new Map<string, RawSpan[]>();
  for (const event of events) {
    if (event.kind === "fault-began") {
      const endedMonoMs = isInstant(event.fault) ? event.monoMs : Infinity;
      const beganMonoMs = Math.min(event.monoMs, firstForgotten(events, event)?.monoMs ?? Infinity);
      const span = { fault: event.fault, beganMonoMs, endedMonoMs, event };
      spans.push(span);
      const name = nameOf(event.fault);
      if (endedMonoMs === Infinity) open.set(name, [...(open.get(name) ?? []), span]);
    } else if (event.kind === "fault-ended") {
      const span = open.get(nameOf(event.fault))?.shift();
      if (span) span.endedMonoMs = event.monoMs;
    }
  }
  return spans;
}

function firstForgotten(events: readonly HistoryEvent[], { fault }: FaultBegan): HistoryEvent | undefined {
  if (fault.name !== "failover") return undefined;
  return events.find((event) => "commit" in event && event.commit !== null && event.commit > fault.keptCommit);
}

/** Known only where the nodes' joining is on record. */
function spansWithoutNode(events: readonly HistoryEvent[]): RawSpan[] {
  if (!events.some(({ kind }) => kind === "joined")) return [];
  const able = new Set<BootId>();
  const disabled = new Map<BootId, number>();
  const spans: RawSpan[] = [];
  let span: RawSpan | null = null;
  for (const event of events) {
    noteAble(event, able, disabled);
    const hasNode = [...able].some((bootId) => !disabled.get(bootId));
    if (!hasNode && span === null) {
      span = { fault: { name: "no-node" }, beganMonoMs: event.monoMs, endedMonoMs: Infinity, event: null };
      spans.push(span);
    } else if (hasNode && span !== null) {
      span.endedMonoMs = event.monoMs;
      span = null;
    }
  }
  return spans;
}

function noteAble(event: HistoryEvent, able: Set<BootId>, disabled: Map<BootId, number>): void {
  if (event.kind === "joined") able.add(event.bootId);
  else if ((event.kind === "leaving" || LEAVING.includes(event.kind)) && "bootId" in event) able.delete(event.bootId);
  else if (event.kind === "fault-began" || event.kind === "fault-ended") {
    if (!("bootId" in event.fault)) return;
    const { name, bootId } = event.fault;
    if (name === "crash") able.delete(bootId);
    if (DISABLING.includes(name))
      disabled.set(bootId, (disabled.get(bootId) ?? 0) + (event.kind === "fault-began" ? 1 : -1));
  }
}

function isInstant({ name }: Fault): boolean {
  return name === "crash" || name === "clock-step" || name === "failover";
}

function nameOf(fault: Fault): string {
  return `${fault.name} ${"bootId" in fault ? fault.bootId : "taskId" in fault ? fault.taskId : ""}`;
}

function recoveredFrom({ fault, endedMonoMs }: RawSpan, all: readonly RawSpan[], options: HistoryOptions): number {
  const withinMs = recoveryMs(fault, options);
  return isNodeLoss(fault)
    ? deadlineBehind(outagesIn(all), { fromMonoMs: endedMonoMs, withinMs })
    : endedMonoMs + withinMs;
}

/** How long after its end a fault can be felt, as [lateness-bounds] says. */
function recoveryMs({ name }: SpanFault, { lateness, clockResampleMs }: HistoryOptions): number {
  switch (name) {
    case "crash":
    case "pause":
    case "postgres-cut":
    case "loop-blocked":
    case "no-node":
      return lateness["node-lost-rerun"].hardMs;
    case "postgres-away":
    case "failover":
      return lateness["postgres-restarted"].hardMs;
    case "clock-step":
      return clockResampleMs + lateness["clock-stepped"].hardMs;
    case "redis-away":
    case "redis-cut":
    case "hints-lost":
    case "overload":
    case "row-lock":
      return lateness["redis-away"].hardMs;
  }
}
