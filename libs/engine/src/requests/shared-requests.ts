import type {
  BriefCancelReply,
  CancelledRef,
  CancelReply,
  CancelRequest,
  CreateReply,
  CreateRequest,
  EpochMs,
  ScheduledCancel,
  TaskStore,
  TypeId,
} from "@tickwheel/core";
import { SharedWrite, type WriteKind, MAX_SHARED_ROWS } from "./shared-write.js";
import { SharedKeyWrites, type SharedKeyWritesParts, sharedTaskOf } from "./shared-key-writes.js";
import { createResults } from "./create-results.js";

type Store = Pick<TaskStore, "create" | "cancel" | "cancelScheduled" | "cancelBriefly">;

/** Counts the tasks that a shared write cancels and moves to history, and says which of them are not kept. */
interface CancelParts {
  cancelled(task: CancelledRef): void;
  /** No reply to a write that was sent then: the outcome is unknown. */
  doubted(sentAt: EpochMs): void;
  /** Types of which nobody keeps cancelled tasks. */
  forgotten(): readonly TypeId[];
}
const NO_PARTS: CancelParts = { cancelled: () => undefined, doubted: () => undefined, forgotten: () => [] };

/**
 * Requests of concurrent callers that can share a write: creates without a key and without an idempotency key, which
 * never wait for a lock; cancels by id; refreshes of one key; and merges of one key. A request's tasks stay together,
 * in one transaction.
 */
export class SharedRequests {
  private readonly creates: SharedWrite<CreateRequest, CreateReply>;
  private readonly keyWrites: SharedKeyWrites;
  private readonly cancels: SharedWrite<ScheduledCancel, CancelReply>;
  private readonly briefCancels: SharedWrite<ScheduledCancel, BriefCancelReply>;

  constructor(
    private readonly store: Store,
    { clock, standsStill, nowMs }: Pick<SharedKeyWritesParts, "clock" | "standsStill" | "nowMs">,
    parts: CancelParts = NO_PARTS,
  ) {
    this.creates = new SharedWrite(createsOf(store), { clock });
    this.keyWrites = new SharedKeyWrites({ store, clock, standsStill, nowMs });
    const cancelsOf = cancelKinds(store, { parts, nowMs });
    this.cancels = new SharedWrite(cancelsOf.whole, { clock });
    this.briefCancels = new SharedWrite(cancelsOf.brief, { clock });
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

  cancelBriefly(request: ScheduledCancel): Promise<BriefCancelReply> {
    return this.briefCancels.add(request);
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

/** Cancels by id, answered with the task or with no more than its id. */
function cancelKinds(
  store: Store,
  { parts, nowMs }: { parts: CancelParts; nowMs: () => EpochMs },
): { whole: WriteKind<ScheduledCancel, CancelReply>; brief: WriteKind<ScheduledCancel, BriefCancelReply> } {
  const together = async <Told extends CancelledRef>(
    write: () => Promise<(Told | null)[]>,
  ): Promise<(Told | null)[]> => {
    const sentAt = nowMs();
    const told = await write().catch((error: unknown) => {
      parts.doubted(sentAt);
      throw error;
    });
    for (const one of new Set(told)) if (one) parts.cancelled(one);
    return told;
  };
  const alone = ({ namespace, id, actor }: ScheduledCancel): Promise<CancelReply> =>
    store.cancel({ target: { namespace, id }, actor });
  const shared = { rowsOf: () => 1, fit: () => true };
  return {
    whole: {
      ...shared,
      writeTogether: async (requests) => {
        const tasks = await together(() => store.cancelScheduled({ requests, forgotten: parts.forgotten() }));
        return tasks.map((task) => task && { outcome: "cancelled", task });
      },
      writeAlone: alone,
    },
    brief: {
      ...shared,
      writeTogether: async (requests) => {
        const refs = await together(() => store.cancelBriefly({ requests, forgotten: parts.forgotten() }));
        return refs.map((ref) => ref && { outcome: "cancelled", id: ref.id });
      },
      writeAlone: async (request) => briefly(await alone(request)),
    },
  };
}

/** A reply without the task that is cancelled. */
export function briefly(reply: CancelReply): BriefCancelReply {
  const { outcome } = reply;
  if (outcome === "not_found") return reply;
  return outcome === "cancelled" ? { outcome, id: reply.task.id } : { outcome, task: reply.task };
}
