import {
  type Clock,
  type CreateReply,
  type CreateRequest,
  keyNameOf,
  type NewTask,
  type TaskStore,
} from "@tickwheel/core";
import { SharedWrite, type WriteKind } from "./shared-write.js";
import { createResults } from "./create-results.js";

type Store = Pick<TaskStore, "create">;

/** The callers of one key, and their shared write. */
interface SharedRefresh {
  callers: number;
  writes: SharedWrite<CreateRequest, CreateReply>;
}

/**
 * Folds refreshes of one key, as a debounced task makes them. Refreshes that arrive while one is written become one
 * write of two tasks. The first task finds the key free or its holder; the last moves the task that is then there.
 * Those between would have been overwritten in the same instant: all their callers get the last one's result, and the
 * journal has only their number.
 *
 * Each key has one write at a time: more would only wait for each other, each with a connection taken. A key is
 * forgotten after its last refresh.
 */
export class SharedRefreshes {
  private readonly keys = new Map<string, SharedRefresh>();

  constructor(
    private readonly store: Store,
    private readonly clock: Pick<Clock, "soon">,
  ) {}

  async add(request: CreateRequest, task: NewTask): Promise<CreateReply> {
    const name = keyNameOf(task);
    const shared = this.keys.get(name) ?? {
      callers: 0,
      writes: new SharedWrite(refreshesOf(this.store), { clock: this.clock, maxWrites: 1 }),
    };
    this.keys.set(name, shared);
    shared.callers++;
    try {
      return await shared.writes.add(request);
    } finally {
      if (--shared.callers === 0) this.keys.delete(name);
    }
  }

  /** Keys that are being refreshed. */
  get size(): number {
    return this.keys.size;
  }
}

/** The task of a request that only refreshes one key; null for any other request. */
export function refreshOf({ tasks, idempotency }: CreateRequest): NewTask | null {
  const [task] = tasks;
  return tasks.length === 1 && !idempotency && task!.key !== null && task!.onConflict === "refresh" ? task! : null;
}

function refreshesOf(store: Store): WriteKind<CreateRequest, CreateReply> {
  return {
    rowsOf: () => 1,
    fit: () => true,
    writeTogether: async (requests) => {
      const { namespace, tasks: first } = requests[0]!;
      const last = requests.slice(1).at(-1)?.tasks ?? [];
      const tasks = [...first, ...last.map((task) => ({ ...task, refreshCount: requests.length - 1 }))];
      const results = createResults(await store.create({ namespace, tasks }));
      return requests.map((_, place) => ({ kind: "written", results: [results.at(place === 0 ? 0 : -1)!] }));
    },
    writeAlone: (request) => store.create(request),
  };
}
