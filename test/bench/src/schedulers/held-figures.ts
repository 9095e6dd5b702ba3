import { type Lateness, latenessOf } from "./verdict.js";

/** What was seen in one stretch of time. */
export interface Stretch {
  readonly seconds: number;
  /** How late each task started that started in it, in milliseconds, ascending. */
  readonly lateMs: Float64Array;
  /** CPU seconds. */
  readonly nodeSeconds: number;
  readonly postgresSeconds: number;
  /** What each call of the bulk creates took, in milliseconds. */
  readonly createMs: readonly number[];
  /** What each request of a viewer of the page took; none of those who have no page. */
  readonly viewMs: readonly number[];
  /** The oldest beat that a viewer saw, in milliseconds; 0: nobody saw one. */
  readonly beatAgeMs: number;
  /** At its end, in all tables, as Postgres estimates them. */
  readonly deadRows: number;
  /** At its end: all tables with their indexes. */
  readonly tableBytes: number;
}

/** After the release p99 counts as back when it is at most so many times what it was before. */
const BACK_BY = 1.5;
/** The half of a p99 of few milliseconds says nothing. */
const BACK_WITHIN_MS = 10;
const MEBIBYTE = 1_048_576;

/** Whether tasks start as punctually as before. */
export function isBack(before: Lateness | null, now: Lateness | null): boolean {
  if (before === null || now === null) return false;
  return now.p99 <= Math.max(before.p99 * BACK_BY, before.p99 + BACK_WITHIN_MS);
}

/** The figures of a stretch; what did not happen in it is left out. */
export function stretchFigures(stretch: Stretch): Record<string, number> {
  const { seconds, lateMs, nodeSeconds, postgresSeconds, deadRows, tableBytes } = stretch;
  const { createMs, viewMs, beatAgeMs } = stretch;
  const lateness = latenessOf(lateMs);
  return {
    perSecond: lateMs.length / seconds,
    ...(lateness && { p50Ms: lateness.p50, p99Ms: lateness.p99, maxMs: lateness.max }),
    ...(createMs.length > 0 && { createP99Ms: p99Of(createMs) }),
    ...(viewMs.length > 0 && { viewP99Ms: p99Of(viewMs) }),
    ...(beatAgeMs > 0 && { beatAgeMs }),
    nodeCores: nodeSeconds / seconds,
    postgresCores: postgresSeconds / seconds,
    deadRows,
    tableMebibytes: tableBytes / MEBIBYTE,
  };
}

function p99Of(ms: readonly number[]): number {
  return latenessOf(Float64Array.from(ms).sort())!.p99;
}

/** Stretches that follow each other, as one. */
export function joined(stretches: readonly Stretch[]): Stretch {
  const sum = (name: "seconds" | "nodeSeconds" | "postgresSeconds"): number =>
    stretches.reduce((total, stretch) => total + stretch[name], 0);
  const lateMs = new Float64Array(stretches.reduce((total, stretch) => total + stretch.lateMs.length, 0));
  let filled = 0;
  for (const stretch of stretches) {
    lateMs.set(stretch.lateMs, filled);
    filled += stretch.lateMs.length;
  }
  const { deadRows = 0, tableBytes = 0 } = stretches.at(-1) ?? {};
  return {
    seconds: sum("seconds"),
    nodeSeconds: sum("nodeSeconds"),
    postgresSeconds: sum("postgresSeconds"),
    lateMs: lateMs.sort(),
    deadRows,
    tableBytes,
    createMs: stretches.flatMap(({ createMs }) => createMs),
    viewMs: stretches.flatMap(({ viewMs }) => viewMs),
    beatAgeMs: Math.max(0, ...stretches.map(({ beatAgeMs }) => beatAgeMs)),
  };
}

/** How much the hold has cost: the whole of it, and its last stretch, beside the time before. */
export function heldFigures(before: Stretch, held: readonly Stretch[]): Record<string, number> {
  const [was, all, last] = [before, joined(held), joined(held.slice(-1))].map(stretchFigures) as [
    Record<string, number>,
    Record<string, number>,
    Record<string, number>,
  ];
  const times = (one: number | undefined, other: number | undefined): number =>
    one === undefined || other === undefined || other === 0 ? 0 : one / other;
  return {
    throughputHeld: times(all["perSecond"], was["perSecond"]),
    throughputLast: times(last["perSecond"], was["perSecond"]),
    p99Held: times(all["p99Ms"], was["p99Ms"]),
    p99Last: times(last["p99Ms"], was["p99Ms"]),
    createP99Last: times(last["createP99Ms"], was["createP99Ms"]),
    ...(all["viewP99Ms"] !== undefined && { viewP99Last: times(last["viewP99Ms"], was["viewP99Ms"]) }),
    ...(all["beatAgeMs"] !== undefined && { beatAgeMs: all["beatAgeMs"] }),
    nodeCpuLast: times(last["nodeCores"], was["nodeCores"]),
    postgresCpuLast: times(last["postgresCores"], was["postgresCores"]),
    deadRows: last["deadRows"] ?? 0,
  };
}
