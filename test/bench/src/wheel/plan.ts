import { type ImplementationName, implementations } from "./queues/implementations.js";
import { type LoadName, lastTickOf } from "./loads.js";
import type { Subject } from "./sample.js";
import { LONGEST_DELAY_MS } from "./queues/set-timeout-queue.js";

/** The load of the slow ones: it leaves few timers to fire, and these fire late. */
const LOAD_OF_THE_SLOW: LoadName = "orders";

/** From this size on heap-js is one of the slow ones. */
const LARGE = 5_000_000;

/** Those that visit every tick, and setTimeout, stay below this. */
const MOST_FOR_SMALL = 1_000_000;

/** The request: every combination of these. */
export interface Question {
  readonly counts: readonly number[];
  readonly loads: readonly LoadName[];
  readonly implementations: readonly ImplementationName[];
  readonly reps: number;
}

/** A combination, how often it runs, and why not as often as the others. */
export interface PlannedSubject {
  readonly subject: Subject;
  readonly reps: number;
  readonly notRun: string | null;
}

/** All combinations, those that do not run included; of one size and load the implementations side by side. */
export function planSubjects({ counts, loads, implementations, reps }: Question): PlannedSubject[] {
  const subjects = counts.flatMap((n) => loads.flatMap((load) => implementations.map((impl) => ({ impl, n, load }))));
  return subjects.map((subject) => {
    const notRun = reasonAgainst(subject);
    const often = isSlow(subject) ? 1 : reps;
    return { subject, reps: notRun === null ? often : 0, notRun };
  });
}

/**
 * The order in which the processes run: for each size and load the first repetition of all implementations, then the
 * second of all, so that a spell of a busy machine does not fall on one of them.
 */
export function interleave(planned: readonly PlannedSubject[]): Subject[] {
  const groups = new Map<string, PlannedSubject[]>();
  for (const each of planned) {
    const group = `${each.subject.n} ${each.subject.load}`;
    groups.set(group, [...(groups.get(group) ?? []), each]);
  }
  return [...groups.values()].flatMap((group) => {
    const rounds = Array.from({ length: Math.max(...group.map(({ reps }) => reps)) }, (_, round) => round);
    return rounds.flatMap((round) => group.filter(({ reps }) => round < reps).map(({ subject }) => subject));
  });
}

function isSlow({ impl, n }: Subject): boolean {
  return impl === "rounds" || impl === "naive" || (impl === "heap-js" && n >= LARGE);
}

/** Null: it runs. */
function reasonAgainst(subject: Subject): string | null {
  const { impl, n, load } = subject;
  const isSmall = n <= MOST_FOR_SMALL;
  if (isSlow(subject) && load !== LOAD_OF_THE_SLOW) return `slow: runs ${LOAD_OF_THE_SLOW} only, once`;
  if (isSlow(subject) && impl !== "heap-js" && !isSmall) return `slow: runs up to ${MOST_FOR_SMALL} timers`;
  if (implementations[impl].obeysClock) return null;
  if (load === LOAD_OF_THE_SLOW) return "nothing fires: uniform-1h tells as much";
  if (lastTickOf(load) > LONGEST_DELAY_MS) return "delays over 2 ** 31 - 1 ms overflow";
  return isSmall ? null : `runs up to ${MOST_FOR_SMALL} timers`;
}
