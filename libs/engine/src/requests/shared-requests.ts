import type {
  CancelReply,
  CancelRequest,
  CreateReply,
  CreateRequest,
  EpochMs,
  ScheduledCancel,
  Task,
  TaskStore,
} from "@tickwheel/core";
import { SharedWrite, type WriteKind, MAX_SHARED_ROWS } from "./shared-write.js";
import { SharedKeyWrites, type SharedKeyWritesParts, sharedTaskOf } from "./shared-key-writes.js";
import { createResults } from "./create-results.js";

type Store = Pick<TaskStore, "create" | "cancel" | "cancelScheduled">;

/** Counts the tasks that a shared write cancels and moves to history. */
interface CancelCount {
  cancelled(task: Task): void;
  /** No reply to a write that was sent then: the outcome is unknown. */
  doubted(sentAt: EpochMs): void;
}

/**
 * Requests of concurrent callers that can share a write: creates without a key and without an idempotency key, which
 * never wait for a lock; cancels by id; refreshes of one key; and merges of one key. A request's tasks stay together,
 * in one transaction.
 */
export class SharedRequests {
  private readonly creates: SharedWrite<CreateRequest, CreateReply>;
  private readonly keyWrites: SharedKeyWrites;
  private readonly cancels: SharedWrite<ScheduledCancel, CancelReply>;

  constructor(
    private readonly store: Store,
    { clock, standsStill, nowMs }: Pick<SharedKeyWritesParts, "clock" | "standsStill" | "nowMs">,
    count: CancelCount = { cancelled: () => undefined, doubted: () => undefined },
  ) {
    this.creates = new SharedWrite(createsOf(store), { clock });
    this.keyWrites = new SharedKeyWrites({ store, clock, standsStill, nowMs });
    this.cancels = new SharedWrite(cancelsOf(store, { count, nowMs }), { clock });
  }

  create(request: CreateRequest): Promise<CreateReply> {
    const { tasks, idempotency } = request;
    const shared = sharedTaskOf(request);
    if (shared) return this.keyWrites.add(request, shared);
    const waitsForNobody = !idempotency && tasks.every(({ key }) => key === null);
    return waitsForNobody && tasks.length < MAX_SHARED_ROWS ? this.creates.add(request) : this.store.create(request);
  }

  cancel(request: CancelRequest): Promise<CancelReply> {
    const { target, actor } = request;
    return "id" in target ? this.cancels.add({ ...target, actor }) : this.store.cancel(request);
  }
}

function createsOf(store: Store): WriteKind<CreateRequest, CreateReply> {
  return {
    rowsOf: ({ tasks }) => tasks.length,
    fit: (one, other) => one.namespace === other.namespace,
    writeTogether: async (requests) => {
      const { namespace } = requests[0]!;
      const results = createResults(await store.create({ namespace, tasks: requests.flatMap(({ tasks }) => tasks) }));
      let place = 0;
      return requests.map(({ tasks }) => ({ kind: "written", results: results.slice(place, (place += tasks.length)) }));
    },
    writeAlone: (request) => store.create(request),
  };
}

function cancelsOf(
  store: Store,
  { count, nowMs }: { count: CancelCount; nowMs: () => EpochMs },
): WriteKind<ScheduledCancel, CancelReply> {
  return {
    rowsOf: () => 1,
    fit: () => true,
    writeTogether: async (requests) => {
      const sentAt = nowMs();
      const tasks = await store.cancelScheduled(requests).catch((error: unknown) => {
        count.doubted(sentAt);
        throw error;
      });
      for (const task of new Set(tasks)) if (task) count.cancelled(task);
      return tasks.map((task) => task && { outcome: "cancelled", task });
    },
    writeAlone: ({ namespace, id, actor }) => store.cancel({ target: { namespace, id }, actor }),
  };
}
