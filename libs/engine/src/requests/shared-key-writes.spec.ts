import { expect, test } from "@jest/globals";
import {
  type CreateReply,
  type CreateRequest,
  type JsonText,
  type NewTask,
  type Task,
  TickwheelError,
} from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { SharedKeyWrites, sharedTaskOf } from "./shared-key-writes.js";

interface Write {
  ids: string[];
  /** How many refreshes each stands for. */
  counts: number[];
  /** `refused`: the ids of those that did not fit together with others. */
  answer(end?: TickwheelError | { refused: string[] }): void;
}

const NOW_MS = 1_000;
const REFUSED = { outcome: "rejected", code: "PAYLOAD_TOO_LARGE", existingId: "x", isUntried: true } as const;

/** A store that answers on demand; the first task of a write is made, the others change it. */
function sceneOf({ dueAt = NOW_MS + 1 } = {}) {
  const writes: Write[] = [];
  const clock = new ManualClock();
  const create = ({ tasks }: CreateRequest): Promise<CreateReply> =>
    new Promise((resolve, reject) => {
      const results = tasks.map(({ id, onConflict }, place) => {
        const later = onConflict === "merge" ? ("merged" as const) : ("refreshed" as const);
        return { outcome: place === 0 ? ("created" as const) : later, task: { id, state: "scheduled", dueAt } as Task };
      });
      const answer: Write["answer"] = (end) => {
        if (end instanceof TickwheelError) return reject(end);
        const told = results.map((result) => (end?.refused.includes(result.task.id) ? REFUSED : result));
        resolve({ kind: "written", results: told });
      };
      const counts = tasks.map(({ folded }) => 1 + (folded?.count ?? 0));
      writes.push({ ids: tasks.map(({ id }) => id), counts, answer });
    });
  const shared = new SharedKeyWrites({ store: { create }, clock, standsStill: false, nowMs: () => NOW_MS });
  const send = async (task: Partial<NewTask> & { id: string }): Promise<unknown> => {
    const request = requestOf({ key: "k", ...task });
    const reply = await shared.add(request, request.tasks[0]!).catch((error: TickwheelError) => error.code);
    if (typeof reply === "string" || !("results" in reply)) return reply;
    return reply.results.map((result) => [result.outcome, "task" in result && result.task.id]);
  };
  return { writes, shared, send, clock };
}

function requestOf(task: Partial<NewTask>): CreateRequest {
  const given = { typeId: 1, onConflict: "refresh", due: { delayMs: 5 }, payload: "{}" as JsonText, ...task };
  return { namespace: "default", tasks: [given as NewTask] };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve();
}

/** "a" is being written when "b" to "e" arrive. */
async function fiveCallers(given: Partial<NewTask> = {}) {
  const scene = sceneOf();
  const replies = [scene.send({ ...given, id: "a" })];
  await settled();
  for (const id of ["b", "c", "d", "e"]) replies.push(scene.send({ ...given, id }));
  await settled();
  return { ...scene, replies };
}

test("refreshes that arrive while one is written become one write, of the first and of one that stands for the rest", async () => {
  const { writes, replies } = await fiveCallers();
  writes[0]!.answer();
  await settled();
  expect(writes.map(({ ids }) => ids)).toEqual([["a"], ["b", "e"]]);
  expect(writes.map(({ counts }) => counts)).toEqual([[1], [1, 3]]);
  writes[1]!.answer();
  const last = [["refreshed", "e"]];
  expect(await Promise.all(replies)).toEqual([[["created", "a"]], [["created", "b"]], last, last, last]);
});

test("merges that arrive while one is written become one write of all", async () => {
  const { writes, replies } = await fiveCallers({ onConflict: "merge", reducers: { n: "add" } });
  writes[0]!.answer();
  await settled();
  expect(writes.map(({ ids }) => ids)).toEqual([["a"], ["b", "c", "d", "e"]]);
  writes[1]!.answer();
  const outcomes = (await Promise.all(replies)).map((reply) => (reply as [[string, string]])[0]);
  expect(outcomes).toEqual([
    ["created", "a"],
    ["created", "b"],
    ["merged", "c"],
    ["merged", "d"],
    ["merged", "e"],
  ]);
});

test("merges that are refused together with those of other callers are written alone", async () => {
  const { writes, replies } = await fiveCallers({ onConflict: "merge", reducers: { s: "append" } });
  writes[0]!.answer();
  await settled();
  writes[1]!.answer({ refused: ["c", "e"] });
  await settled();
  expect(writes.map(({ ids }) => ids)).toEqual([["a"], ["b", "c", "d", "e"], ["c"], ["e"]]);
  writes[2]!.answer();
  writes[3]!.answer({ refused: ["e"] });
  const outcomes = (await Promise.all(replies)).map((reply) => (reply as [[string, string]])[0][0]);
  expect(outcomes).toEqual(["created", "created", "created", "merged", "rejected"]);
});

test("merges of one key with other reducers, and refreshes of the key, are writes of their own", async () => {
  const { writes, send } = sceneOf();
  void send({ id: "a" });
  await settled();
  for (const id of ["b", "d"]) void send({ id, onConflict: "merge", reducers: { n: "add" } });
  void send({ id: "c", onConflict: "merge", reducers: { n: "max" } });
  void send({ id: "e" });
  for (let at = 0; at < 4; at++) {
    await settled();
    writes[at]!.answer();
  }
  expect(writes.map(({ ids }) => ids)).toEqual([["a"], ["b", "d"], ["c"], ["e"]]);
});

test("long payloads are spread over several writes", async () => {
  const { writes, send } = sceneOf();
  const payload = `{"s":"${"x".repeat(60_000)}"}` as JsonText;
  void send({ id: "a" });
  await settled();
  for (let index = 0; index < 20; index++) void send({ id: `m${index}`, onConflict: "merge", payload });
  await settled();
  writes[0]!.answer();
  await settled();
  expect(writes[1]!.ids).toHaveLength(16);
});

test("a key whose due task is put off has a pause between two writes", async () => {
  const { writes, send, clock } = sceneOf({ dueAt: NOW_MS });
  void send({ id: "a" });
  await settled();
  void send({ id: "b" });
  writes[0]!.answer();
  await settled();
  expect(writes).toHaveLength(1);
  await clock.advance(19);
  expect(writes).toHaveLength(1);
  await clock.advance(1);
  await settled();
  expect(writes.map(({ ids }) => ids)).toEqual([["a"], ["b"]]);
});

test("a key waits only for its own writes, and is forgotten after its last one", async () => {
  const { writes, shared, send } = sceneOf();
  const replies = [send({ id: "a", key: "k" }), send({ id: "b", key: "l" })];
  await settled();
  expect([writes.length, shared.size]).toEqual([2, 2]);
  for (const { answer } of writes) answer();
  await Promise.all(replies);
  await settled();
  expect(shared.size).toBe(0);
});

test("items of a write that is refused for its data are written one by one; any other failure goes to all its callers", async () => {
  const { writes, replies } = await fiveCallers();
  writes[0]!.answer(new TickwheelError("STORE_UNAVAILABLE", "away"));
  await settled();
  writes[1]!.answer(new TickwheelError("INTERNAL", "refused", { details: { dataRefused: true } }));
  await settled();
  expect(writes.slice(2).map(({ ids }) => ids)).toEqual([["b"], ["c"], ["d"], ["e"]]);
  for (const { answer } of writes.slice(2)) answer();
  const alone = (id: string) => [["created", id]];
  expect(await Promise.all(replies)).toEqual(["STORE_UNAVAILABLE", ...["b", "c", "d", "e"].map(alone)]);
});

test.each<[string, Partial<CreateRequest>]>([
  ["has no key", requestOf({ key: null })],
  ["does something else to a holder", requestOf({ key: "k", onConflict: "replace" })],
  ["has an idempotency key", { ...requestOf({ key: "k" }), idempotency: { key: "i", bodyHash: "h" } }],
  ["is a batch", { tasks: [...requestOf({ key: "k" }).tasks, ...requestOf({ key: "k" }).tasks] }],
])("a request that %s is written by itself", (_, request) => {
  expect(sharedTaskOf({ namespace: "default", tasks: [], ...request })).toBeNull();
});
