import { type ApiClient, type JournalBody } from "./api-client.js";
import { type Effect, firstStarts, type Ledger, type Start } from "./ledger.js";

/** What a client was told about a task: that it exists, and perhaps how its cancel was answered. */
export interface Acknowledged {
  id: string;
  /** Null: it was not cancelled, or the cancel was refused as too late. Requested or unanswered: both ends are allowed.
   */
  cancel: null | "cancelled" | "cancel_requested" | "unanswered";
  /** When the create was answered, by the clock of the test's process. Absent: not recorded. */
  atMs?: number;
  /** When the cancel was answered, and the task's fence in the answer. Absent: it was not, or not recorded. */
  cancelAnswer?: { atMs: number; fence: number };
}

/** All evidence that the invariants are checked against. */
export interface Evidence {
  acknowledged: readonly Acknowledged[];
  starts: readonly Start[];
  effects: readonly Effect[];
  /** For each task that started more than once: how often it went from `running` to `scheduled`, by its journal. */
  returns: ReadonlyMap<string, number>;
}

/** The clock of the store counts whole milliseconds. */
const CLOCK_GRAIN_MS = 1;

/**
 * The invariants that a cluster test checks at its end: nothing lost, no effect twice or after an acknowledged cancel,
 * never early, each (task, fence) once, and every further start on record in the task's journal. Pure.
 *
 * @returns the broken invariants, one sentence each; empty if all hold
 */
export function invariantsOf(evidence: Evidence): string[] {
  return [
    ...lostOrUndue(evidence),
    ...doubledEffects(evidence.effects),
    ...effectsWithoutStart(evidence),
    ...earlyStarts(evidence.starts),
    ...doubledStarts(evidence.starts),
    ...restartsOffRecord(evidence),
  ];
}

/** Reads the evidence from the applications' own records, and journals through the API. */
export async function gatherEvidence(
  acknowledged: readonly Acknowledged[],
  { ledger, client }: { ledger: Ledger; client: ApiClient },
): Promise<Evidence> {
  const [starts, effects] = await Promise.all([ledger.starts(), ledger.effects()]);
  const again = starts.length === firstStarts(starts).length ? [] : startedAgain(starts);
  const returns = new Map<string, number>();
  for (const id of again) returns.set(id, await returnsOf(client, id));
  return { acknowledged, starts, effects, returns };
}

async function returnsOf(client: ApiClient, id: string): Promise<number> {
  let returns = 0;
  for (let cursor: string | null = ""; cursor !== null;) {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const answer = await client.get<JournalBody>(`/v1/tasks/${id}/journal?limit=200${query}`);
    const { status, body }: { status: number; body: JournalBody } = answer;
    if (status !== 200) throw new Error(`the journal of ${id} answered ${status}`);
    returns += body.items.filter(({ from, to }) => from === "running" && to === "scheduled").length;
    cursor = body.nextCursor;
  }
  return returns;
}

function lostOrUndue({ acknowledged, effects }: Evidence): string[] {
  const done = new Set(effects.map(({ taskId }) => taskId));
  return acknowledged.flatMap(({ id, cancel }) => {
    if (cancel === null && !done.has(id)) return [`lost: task ${id} was acknowledged and has no effect`];
    if (cancel === "cancelled" && done.has(id)) return [`task ${id} has an effect after an acknowledged cancel`];
    return [];
  });
}

function doubledEffects(effects: readonly Effect[]): string[] {
  return repeated(effects.map(({ taskId }) => taskId)).map((id) => `task ${id} has two effects`);
}

function effectsWithoutStart({ starts, effects }: Evidence): string[] {
  const started = new Set(starts.map(executionOf));
  return effects
    .filter((effect) => !started.has(executionOf(effect)))
    .map(({ taskId, fence }) => `task ${taskId} has an effect of fence ${fence}, which never started`);
}

function earlyStarts(starts: readonly Start[]): string[] {
  return starts
    .filter(({ atMs, dueAtMs }) => atMs + CLOCK_GRAIN_MS <= dueAtMs)
    .map(({ taskId, atMs, dueAtMs }) => `task ${taskId} started ${(dueAtMs - atMs).toFixed(1)} ms early`);
}

function doubledStarts(starts: readonly Start[]): string[] {
  return repeated(starts.map(executionOf)).map((execution) => `${execution} started twice`);
}

function restartsOffRecord({ starts, returns }: Evidence): string[] {
  const counts = new Map<string, number>();
  for (const { taskId } of starts) counts.set(taskId, (counts.get(taskId) ?? 0) + 1);
  return [...counts]
    .filter(([id, count]) => count > 1 + (returns.get(id) ?? 0))
    .map(([id, count]) => `task ${id} started ${count} times, its journal tells of ${returns.get(id) ?? 0} returns`);
}

function startedAgain(starts: readonly Start[]): string[] {
  return repeated(starts.map(({ taskId }) => taskId));
}

function executionOf({ taskId, fence }: { taskId: string; fence: number }): string {
  return `task ${taskId} fence ${fence}`;
}

/** The values that occur more than once, each named once. */
function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(values.filter((value) => seen.size === seen.add(value).size))];
}
