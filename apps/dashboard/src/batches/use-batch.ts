import { useSignal } from "@preact/signals";
import type { Batch, Task, TaskState } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { emptyFeed, feedAfter, type Feed } from "../feeds/feed.js";
import { useHeldList } from "../feeds/use-held-list.js";
import { isUnderWay } from "./batch-words.js";

const pollMs = 5_000;

/** One batch with its shards and a page of its members, read again and again. */
export function useBatch(api: TickwheelApi, id: string, state: TaskState | undefined) {
  const batch = useSignal<Feed<Batch>>(emptyFeed);
  const shards = useSignal<Feed<readonly Task[]>>(emptyFeed);

  const readBatch = async (): Promise<readonly Feed<unknown>[]> => {
    const before = batch.value.value;
    batch.value = feedAfter(batch.value, await api.batches.get(id), Date.now());
    const now = batch.value.value;
    if (now !== null && now.shards !== null && mayDiffer(before, shards.value)) {
      shards.value = feedAfter(shards.value, await api.batches.shards(id, now.shards), Date.now());
    }
    return [batch.value, shards.value];
  };
  const members = useHeldList<Task, { state: TaskState | undefined }>({
    everyMs: pollMs,
    filter: { state },
    read: (filter, cursor) => api.batches.members(id, filter.state, cursor),
    alongside: readBatch,
  });
  return { batch: batch.value, shards: shards.value, members };
}

/** Shards are many, and those of a batch that had ended already rest. */
function mayDiffer(before: Batch | null, shards: Feed<readonly Task[]>): boolean {
  return before === null || shards.value === null || isUnderWay(before) || before.counts.live > 0;
}
