import {
  type Clock,
  type CreateReply,
  type CreateRequest,
  type EpochMs,
  foldRefreshes,
  haveSameReducers,
  keyNameOf,
  type NewTask,
  type TaskStore,
} from "@tickwheel/core";
import { SharedWrite, type WriteKind } from "./shared-write.js";
import { createResults } from "./create-results.js";

type Store = Pick<TaskStore, "create">;

/**
 * A claim passes by a row that is locked. So while callers go on putting off a task that is due, no write of its key
 * begins for this long after another, in milliseconds, and a claim finds the row free.
 */
const DUE_PAUSE_MS = 20;
/** A merge counts as one row more for this many characters of its payload. */
const ROW_LENGTH = 4_096;

export interface SharedKeyWritesParts {
  store: Store;
  clock: Pick<Clock, "nextTurn" | "setTimer">;
  /** Whether no time passes while a call waits: then there is no pause between two writes of a task that is due. */
  standsStill: boolean;
  /** The estimated time of the store's clock. */
  nowMs(): EpochMs;
}

/**
 * Folds refreshes of one key, and merges of one key with the same reducers, as a debounced or a collecting task makes
 * them. Those that arrive while one is written become one write.
 * - For refreshes it has two tasks. The first finds the key free or its holder; the other stands for the rest and moves
 *   the task that is then there. All callers of the rest get its result, and the journal has only their number.
 * - For merges it has all: the store folds them in one statement. What the store refuses together is written alone.
 *
 * Each key has one write at a time: more would only wait for each other, each with a connection taken. A key is
 * forgotten after its last write.
 */
export class SharedKeyWrites {
  private readonly keys = new Map<string, SharedWrite<CreateRequest, CreateReply>>();
  private readonly kind: WriteKind<CreateRequest, CreateReply>;

  constructor(private readonly parts: SharedKeyWritesParts) {
    this.kind = {
      rowsOf: ({ tasks: [task] }) => (task!.onConflict === "merge" ? 1 + task!.payload.length / ROW_LENGTH : 1),
      fit: (one, other) => fit(one.tasks[0]!, other.tasks[0]!),
      writeTogether: (requests) => writeTogether(parts.store, requests),
      writeAlone: (request) => parts.store.create(request),
      pauseMs: (replies) =>
        !parts.standsStill && replies.some((reply) => isDue(reply, parts.nowMs())) ? DUE_PAUSE_MS : 0,
    };
  }

  /** @param task the request's only one, as `sharedTaskOf` answers it */
  add(request: CreateRequest, task: NewTask): Promise<CreateReply> {
    const name = keyNameOf(task);
    const { clock } = this.parts;
    const onIdle = (): void => void this.keys.delete(name);
    const writes = this.keys.get(name) ?? new SharedWrite(this.kind, { clock, maxWrites: 1, onIdle });
    this.keys.set(name, writes);
    return writes.add(request);
  }

  /** How many keys are being written. */
  get size(): number {
    return this.keys.size;
  }
}

/** The task of a request that only refreshes or merges one key; null for any other request. */
export function sharedTaskOf({ tasks, idempotency }: CreateRequest): NewTask | null {
  const [task] = tasks;
  if (tasks.length !== 1 || idempotency || task!.key === null) return null;
  return task!.onConflict === "refresh" || task!.onConflict === "merge" ? task! : null;
}

/** Two tasks of one key. A merge computes with reducers, so those of a write have the same. */
function fit(one: NewTask, other: NewTask): boolean {
  return one.onConflict === other.onConflict && (one.onConflict === "refresh" || haveSameReducers(one, other));
}

/** Null: a merge that was refused with those of other callers, and may fit by itself. */
async function writeTogether(store: Store, requests: readonly CreateRequest[]): Promise<(CreateReply | null)[]> {
  const { namespace } = requests[0]!;
  const asked = requests.map(({ tasks }) => tasks[0]!);
  const [first, ...rest] = asked as [NewTask, ...NewTask[]];
  const isFolded = first.onConflict === "refresh" && rest.length > 0;
  const tasks = isFolded ? [first, foldRefreshes(rest)] : asked;
  const results = createResults(await store.create({ namespace, tasks }));
  return requests.map((_, place) => {
    const result = results[Math.min(place, results.length - 1)]!;
    const isUntried = result.outcome === "rejected" && result.isUntried === true;
    return isUntried && requests.length > 1 ? null : { kind: "written", results: [result] };
  });
}

function isDue(reply: CreateReply, nowMs: EpochMs): boolean {
  const [result] = reply.kind === "key_reused" ? [] : reply.results;
  return result !== undefined && "task" in result && result.task.state === "scheduled" && result.task.dueAt <= nowMs;
}
