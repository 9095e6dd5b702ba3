import { expect, test } from "@jest/globals";
import { type CreateReply, type CreateRequest, type NewTask, type Task, TickwheelError } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { SharedRefreshes, refreshOf } from "./shared-refreshes.js";

interface Write {
  ids: string[];
  /** How many refreshes each stands for. */
  counts: number[];
  answer(error?: TickwheelError): void;
}

/** A store that answers on demand; the first refresh of a write makes the task. */
function refreshesOf() {
  const writes: Write[] = [];
  const create = ({ tasks }: CreateRequest): Promise<CreateReply> =>
    new Promise((resolve, reject) => {
      const results = tasks.map(({ id }, place) => {
        const outcome = place === 0 ? ("created" as const) : ("refreshed" as const);
        return { outcome, task: { id } as Task };
      });
      const answer = (error?: TickwheelError) => (error ? reject(error) : resolve({ kind: "written", results }));
      const counts = tasks.map(({ refreshCount = 1 }) => refreshCount);
      writes.push({ ids: tasks.map(({ id }) => id), counts, answer });
    });
  const refreshes = new SharedRefreshes({ create }, new ManualClock());
  const refresh = async (id: string, key = "k"): Promise<unknown> => {
    const request = requestOf({ id, key });
    const reply = await refreshes.add(request, request.tasks[0]!).catch((error: TickwheelError) => error.code);
    return typeof reply === "string" || !("results" in reply) ? reply : reply.results;
  };
  return { writes, refreshes, refresh };
}

function requestOf(task: Partial<NewTask>): CreateRequest {
  return { namespace: "default", tasks: [{ typeId: 1, onConflict: "refresh", ...task } as NewTask] };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve();
}

/** "a" is being written when "b" to "e" arrive. */
async function fiveCallers() {
  const scene = refreshesOf();
  const replies = [scene.refresh("a")];
  await settled();
  for (const id of ["b", "c", "d", "e"]) replies.push(scene.refresh(id));
  await settled();
  return { ...scene, replies };
}

test("a lone refresh is written alone; those that arrive meanwhile become one write, of the first and the last", async () => {
  const { writes, replies } = await fiveCallers();
  writes[0]!.answer();
  await settled();
  expect(writes.map(({ ids }) => ids)).toEqual([["a"], ["b", "e"]]);
  expect(writes.map(({ counts }) => counts)).toEqual([[1], [1, 3]]);
  writes[1]!.answer();
  const last = [{ outcome: "refreshed", task: { id: "e" } }];
  const first = (id: string) => [{ outcome: "created", task: { id } }];
  expect(await Promise.all(replies)).toEqual([first("a"), first("b"), last, last, last]);
});

test("a key waits only for its own writes, and is forgotten after its last one", async () => {
  const { writes, refreshes, refresh } = refreshesOf();
  const replies = [refresh("a", "k"), refresh("b", "l")];
  await settled();
  expect([writes.length, refreshes.size]).toEqual([2, 2]);
  for (const { answer } of writes) answer();
  await Promise.all(replies);
  expect(refreshes.size).toBe(0);
});

test("items of a write that is refused for its data are written one by one; any other failure goes to all its callers", async () => {
  const { writes, replies } = await fiveCallers();
  writes[0]!.answer(new TickwheelError("STORE_UNAVAILABLE", "away"));
  await settled();
  writes[1]!.answer(new TickwheelError("INTERNAL", "refused", { details: { dataRefused: true } }));
  await settled();
  expect(writes.slice(2).map(({ ids }) => ids)).toEqual([["b"], ["c"], ["d"], ["e"]]);
  for (const { answer } of writes.slice(2)) answer();
  const alone = (id: string) => [{ outcome: "created", task: { id } }];
  expect(await Promise.all(replies)).toEqual(["STORE_UNAVAILABLE", ...["b", "c", "d", "e"].map(alone)]);
});

test.each<[string, Partial<CreateRequest>]>([
  ["has no key", requestOf({ key: null })],
  ["does something else to a holder", requestOf({ key: "k", onConflict: "replace" })],
  ["has an idempotency key", { ...requestOf({ key: "k" }), idempotency: { key: "i", bodyHash: "h" } }],
  ["is a batch", { tasks: [...requestOf({ key: "k" }).tasks, ...requestOf({ key: "k" }).tasks] }],
])("a request that %s is no refresh of one key", (_, request) => {
  expect(refreshOf({ namespace: "default", tasks: [], ...request })).toBeNull();
});
