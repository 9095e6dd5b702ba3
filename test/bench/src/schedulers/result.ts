import { median, ratio } from "../statistics.js";
import type { Subject } from "./contestants/contestants.js";
import type { Cells, Sample } from "./sample.js";
import type { Lateness } from "./verdict.js";

/** One contestant: medians over its repetitions; what went wrong is added up. */
export interface Result extends Subject, Omit<Sample, "latenessMs" | "curve"> {
  readonly latenessMs: { readonly [Name in keyof Lateness]: number | null };
  /** All repetitions. */
  readonly reps: readonly Sample[];
}

/** The last line of `--json`. */
export interface JsonReport {
  readonly job: string;
  /** Version of the Node that all contestants ran on. */
  readonly node: string;
  /** Version, and settings of durability. */
  readonly postgres: string;
  readonly redis: string;
  readonly results: readonly Result[];
  /**
   * By peer, with its best settings if they ran: ours ÷ theirs, per second; null: one of the two has no such figure.
   */
  readonly ratios: Readonly<Record<string, number | null>>;
}

const latenessNames = ["p50", "p95", "p99", "max"] as const;
const OURS = "tickwheel";

export function resultOf(subject: Subject, reps: readonly Sample[]): Result {
  const middle = (pick: (sample: Sample) => number | null | undefined): number | null =>
    median(reps.map((sample) => pick(sample) ?? null));
  const sum = (name: "lost" | "early" | "duplicates"): number =>
    reps.reduce((total, sample) => total + sample[name], 0);
  const cells = cellsOf(reps);
  return {
    ...subject,
    perSecond: middle(({ perSecond }) => perSecond),
    latenessMs: Object.fromEntries(
      latenessNames.map((name) => [name, middle(({ latenessMs }) => latenessMs?.[name])]),
    ) as Result["latenessMs"],
    lost: sum("lost"),
    early: sum("early"),
    duplicates: sum("duplicates"),
    cpuSeconds: middle(({ cpuSeconds }) => cpuSeconds) ?? 0,
    figures: mediansOf(reps.map(({ figures }) => figures)),
    ...(cells && { cells }),
    reps,
  };
}

function cellsOf(reps: readonly Sample[]): Cells | null {
  const tables = reps.flatMap(({ cells }) => (cells ? [cells] : []));
  if (tables.length === 0) return null;
  const names = new Set(tables.flatMap((table) => Object.keys(table)));
  return Object.fromEntries([...names].map((name) => [name, mediansOf(tables.map((table) => table[name] ?? {}))]));
}

/** The median of each figure over those repetitions that have it. */
function mediansOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(all.flatMap((figures) => Object.keys(figures)));
  return Object.fromEntries([...names].map((name) => [name, median(all.map((figures) => figures[name] ?? null)) ?? 0]));
}

/** Ours against each other contestant. */
export function ratiosOf(results: readonly Result[]): Record<string, number | null> {
  const ours = results.find(({ peer }) => peer === OURS);
  if (!ours) return {};
  const others = new Map(results.filter(({ peer }) => peer !== OURS).map((result) => [result.peer, result]));
  for (const result of results) if (result.peer !== OURS && result.settings === "best") others.set(result.peer, result);
  return Object.fromEntries([...others].map(([peer, theirs]) => [peer, ratio(ours.perSecond, theirs.perSecond)]));
}

/** What must not be, one sentence each. */
export function faultsOf(results: readonly Result[]): string[] {
  return results.flatMap(({ peer, settings, ...result }) =>
    (["lost", "early", "duplicates"] as const)
      .filter((name) => result[name] > 0)
      .map((name) => `${peer} (${settings}): ${result[name]} ${name}`),
  );
}
