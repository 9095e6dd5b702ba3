import type { Clock, CreateReply, CreateRequest, NewTask, TaskStore } from "@tickwheel/core";
import { SharedWrite, type WriteKind } from "./shared-write.js";
import { createResults } from "./create-results.js";

type Store = Pick<TaskStore, "create">;

/** The callers of one key, and what they share. */
interface SharedRefresh {
  callers: number;
  writes: SharedWrite<CreateRequest, CreateReply>;
}

/**
 * Refreshes of one key, as a debounced task sees them, folded: what callers ask for while one is written is one write
 * of two tasks, the first's, which finds the key free or its holder, and the last's, which moves what that left. Those
 * between would have been overwritten in the same instant: all callers are told of what the last one left, and the
 * journal knows only how many they were.
 *
 * One write for each key at a time: each would wait for the one before, with a connection taken. A key is forgotten
 * when nobody asks.
 */
export class SharedRefreshes {
  private readonly keys = new Map<string, SharedRefresh>();

  constructor(
    private readonly store: Store,
    private readonly clock: Pick<Clock, "soon">,
  ) {}

  async add(request: CreateRequest, { typeId, key }: NewTask): Promise<CreateReply> {
    const name = `${typeId}\0${key}`;
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

  /** Keys that somebody refreshes just now. */
  get size(): number {
    return this.keys.size;
  }
}

/** The task of a request that only refreshes one key; null for any other. */
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
