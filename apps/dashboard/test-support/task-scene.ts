import type { Because, JournalEntry, LatenessParts, Task } from "../src/api/wire.js";

/** When the scenes begin, in milliseconds of the epoch. */
export const T0 = Date.parse("2026-11-22T03:12:00.000Z");

const at = (ms: number): string => new Date(T0 + ms).toISOString();

type Instants = "startedAt";

/** An entry `ms` after the beginning; instants in it are counted from there, too. */
export function entry(
  ms: number,
  given: Pick<JournalEntry, "from" | "to"> & Partial<Omit<JournalEntry, Instants>> & { startedAt?: number },
): JournalEntry {
  const { startedAt, ...rest } = given;
  return {
    at: at(ms),
    node: null,
    fence: 0,
    attempt: 0,
    reason: null,
    actor: null,
    count: 1,
    latenessParts: null,
    error: null,
    ...rest,
    startedAt: startedAt === undefined ? null : at(startedAt),
  };
}

/** No lateness, but for what is given. */
export function parts(given: Partial<LatenessParts> = {}): LatenessParts {
  return { knownMs: 0, wheelMs: 0, placeMs: 0, claimMs: 0, startMs: 0, clockErrorMs: 0.2, takenFrom: null, ...given };
}

const INSTANTS = ["scheduledAt", "dueAt", "createdAt", "startedAt", "finishedAt", "startDeadlineAt"] as const;

/** What a task has to which nothing has happened. */
const UNTOUCHED = {
  remainingMs: null,
  pausedAt: null,
  pausedMs: 0,
  startDeadlineAt: null,
  claimedAt: null,
  startedAt: null,
  finishedAt: null,
  latenessMs: null,
  latenessParts: null,
  attempt: 0,
  crashCount: 0,
  version: 1,
  fence: 0,
  node: null,
  result: null,
  lastError: null,
  deliver: null,
  continues: null,
  continuedBy: null,
  batchId: null,
  shard: null,
  waitingFor: null,
} as const;

/** A task that was created and due at the beginning. Instants are given in milliseconds of the epoch. */
export function taskOf(
  given: Partial<Omit<Task, (typeof INSTANTS)[number] | "because">> &
    Partial<Record<(typeof INSTANTS)[number], number>> & { because?: Partial<Because> } = {},
): Task {
  const { because, ...rest } = given;
  const instants = Object.fromEntries(
    INSTANTS.filter((name) => rest[name] !== undefined).map((name) => [name, new Date(rest[name]!).toISOString()]),
  );
  return {
    ...UNTOUCHED,
    id: "01935c1e-9a50-7b1f-8c42-0d6e51f0a7b3",
    namespace: "default",
    type: "order.cancel",
    key: null,
    payload: {},
    state: "scheduled",
    reason: null,
    scheduledAt: at(0),
    dueAt: at(0),
    createdAt: at(0),
    maxAttempts: 3,
    priority: 5,
    tags: [],
    ...rest,
    ...instants,
    ...(because && {
      because: {
        code: "SCHEDULED",
        hasNoNode: false,
        lastRunner: null,
        halt: null,
        limit: null,
        breaker: null,
        places: null,
        snoozes: 0,
        late: null,
        ...because,
      },
    }),
  } as Task;
}
