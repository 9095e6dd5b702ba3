import type { Occurred, Start } from "../support/ledger.js";

/** A row of a schedule's runs, as the store has written it. */
export interface RunRow {
  kind: "spec" | "skip";
  /** The instant of a run; of skipped ones the first. */
  at: number;
  /** The last of the skipped instants. */
  until: number | null;
  missed: number;
  hasMissedMore: boolean;
  stoodFor: number | null;
  taskId: string | null;
  state: "succeeded" | "dead" | "cancelled" | "expired" | null;
  reason: string | null;
  isConcluded: boolean;
}

/** What was in force of a schedule, and all of its instants while it was. */
export interface Stretch {
  version: string;
  /** From when on, exclusive: an instant at this very time belongs to the stretch before. */
  after: number;
  instants: readonly number[];
}

/** All that is known of one schedule. */
export interface ScheduleEvidence {
  name: string;
  /** One after the other, until all was settled. */
  stretches: readonly Stretch[];
  rows: readonly RunRow[];
  /** What its handlers have recorded. */
  occurred: readonly Occurred[];
  starts: readonly Start[];
}

/**
 * What must hold of a schedule whatever died: each of its instants is exactly one of run, failed and skipped with a
 * reason; no run had two effects, none was early, and each was told the instant and the definition that its row says.
 * Pure.
 *
 * @returns what does not hold, one sentence each; empty if all does
 */
export function faultsOf(evidence: ScheduleEvidence): string[] {
  const faults = [
    ...unaccounted(evidence),
    ...evidence.rows.flatMap((row) => [...oddRow(row), ...wrongEffects(row, evidence)]),
    ...effectsWithoutRow(evidence),
    ...earlyStarts(evidence),
    ...wrongVersions(evidence),
  ];
  return faults.map((fault) => `${evidence.name}: ${fault}`);
}

/** What its instants came to, by the reason where they were skipped. */
export function outcomesOf({ rows, stretches }: ScheduleEvidence): Record<string, number> {
  const all = stretches.flatMap(({ instants }) => instants);
  const outcomes: Record<string, number> = {};
  for (const row of rows) {
    const outcome = row.state === "succeeded" ? "run" : row.state === "dead" ? "failed" : String(row.reason);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + coveredBy(row, all).length;
  }
  return outcomes;
}

/** The instant that a run was for. */
function instantOf({ stoodFor, at }: RunRow): number {
  return stoodFor ?? at;
}

/** The instants that a row tells of. A run of an instant that there is not tells of it all the same. */
function coveredBy(row: RunRow, all: readonly number[]): number[] {
  if (row.kind !== "skip") return [instantOf(row)];
  return all.filter((at) => row.at <= at && at <= row.until!);
}

function unaccounted({ rows, stretches }: ScheduleEvidence): string[] {
  const all = stretches.flatMap(({ instants }) => instants);
  const times = new Map(all.map((at) => [at, 0]));
  const invented: string[] = [];
  for (const row of rows)
    for (const at of coveredBy(row, all)) {
      if (!times.has(at)) invented.push(`there is no instant ${iso(at)}, and yet a run of it`);
      else times.set(at, times.get(at)! + 1);
    }
  const wrong = [...times].filter(([, count]) => count !== 1);
  return [...invented, ...wrong.map(([at, count]) => `the instant ${iso(at)} is accounted for ${count} times`)].concat(
    rows.flatMap((row) => miscounted(row, all)),
  );
}

/** A stretch of skipped instants says how many they are. */
function miscounted(row: RunRow, all: readonly number[]): string[] {
  if (row.kind !== "skip") return [];
  const covered = coveredBy(row, all).length;
  if (covered === row.missed && !row.hasMissedMore) return [];
  return [`${row.missed} instants are said to be skipped from ${iso(row.at)} to ${iso(row.until!)}: ${covered} are`];
}

function oddRow(row: RunRow): string[] {
  const { isConcluded, state, reason, kind } = row;
  if (!isConcluded) return [`the run of ${iso(instantOf(row))} has no end`];
  if (kind === "spec" && state === null) return [`nobody knows how the run of ${iso(instantOf(row))} ended`];
  const isTold = state === "succeeded" || state === "dead" || reason !== null;
  return isTold ? [] : [`nobody knows why ${iso(instantOf(row))} was skipped`];
}

function wrongEffects(row: RunRow, { occurred }: ScheduleEvidence): string[] {
  if (row.kind === "skip") return [];
  const effects = occurred.filter(({ taskId }) => taskId === row.taskId);
  const told = `the run of ${iso(instantOf(row))}, ${row.state}`;
  const wanted = row.state === "succeeded" ? 1 : 0;
  if (effects.length !== wanted) return [`${told}, has ${effects.length} effects`];
  return effects.flatMap(({ instant, missed }) =>
    instant === instantOf(row) && missed === row.missed
      ? []
      : [`${told}, missed ${row.missed}: its handler was told ${iso(instant)}, missed ${missed}`],
  );
}

function effectsWithoutRow({ rows, occurred }: ScheduleEvidence): string[] {
  const known = new Set(rows.map(({ taskId }) => taskId));
  return occurred
    .filter(({ taskId }) => !known.has(taskId))
    .map(({ instant }) => `there is an effect at ${iso(instant)}, and no run`);
}

function earlyStarts({ starts, occurred }: ScheduleEvidence): string[] {
  const instants = new Map(occurred.map(({ taskId, instant }) => [taskId, instant]));
  return starts
    .filter(({ taskId, atMs, dueAtMs }) => atMs < Math.max(dueAtMs, instants.get(taskId) ?? dueAtMs))
    .map(({ atMs, dueAtMs }) => `a run that was due at ${iso(dueAtMs)} started at ${iso(atMs)}`);
}

/** A run has the payload of the definition that was in force when its task was made. */
function wrongVersions({ stretches, occurred, starts }: ScheduleEvidence): string[] {
  const made = new Map(starts.map(({ taskId, createdAtMs }) => [taskId, Math.round(createdAtMs)]));
  return occurred.flatMap(({ taskId, instant, version }) => {
    const madeAt = made.get(taskId);
    if (madeAt === undefined) return [`the run of ${iso(instant)} has an effect, and never started`];
    // The two definitions of a change share its millisecond.
    const right = stretches.filter(({ after }, index) => {
      const next = stretches[index + 1];
      return after <= madeAt && (next === undefined || madeAt <= next.after);
    });
    if (right.some((stretch) => stretch.version === version)) return [];
    return [`the run of ${iso(instant)} is of definition ${version}, which was not in force`];
  });
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
