import { describe, expect, test } from "@jest/globals";
import {
  type CancelReply,
  type CancelTogether,
  type CreateReply,
  type CreateRequest,
  type NewTask,
  type Task,
  TickwheelError,
} from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { SharedRequests } from "./shared-requests.js";

const away = new TickwheelError("STORE_UNAVAILABLE", "away");
const refused = new TickwheelError("INTERNAL", "refused", { details: { dataRefused: true } });

interface Write {
  ids: string[];
  forgotten?: readonly number[] | undefined;
  answer(error?: TickwheelError): void;
}

/** A store that answers on demand. It takes no task with a "!", and cancels none with a "?" together with others. */
function storeOf() {
  const writes: Write[] = [];
  const store = {
    create: ({ tasks }: CreateRequest): Promise<CreateReply> =>
      new Promise((resolve, reject) => {
        const ids = tasks.map(({ id }) => id);
        const answer = (error?: TickwheelError): void => {
          const cause = error ?? (ids.some((id) => id.includes("!")) ? refused : null);
          if (cause) return reject(cause);
          const results = tasks.map(({ id }) => ({ outcome: "created" as const, task: { id } as Task }));
          resolve({ kind: "written", results });
        };
        writes.push({ ids, answer });
      }),
    cancelScheduled: (request: CancelTogether) => cancelled(request),
    cancelBriefly: (request: CancelTogether) => cancelled(request),
    cancel: (): Promise<CancelReply> =>
      new Promise((resolve) => {
        writes.push({ ids: ["alone"], answer: () => resolve({ outcome: "not_found" }) });
      }),
  };
  const cancelled = ({ requests, forgotten }: CancelTogether): Promise<(Task | null)[]> =>
    new Promise((resolve, reject) => {
      const ids = requests.map(({ id }) => id);
      const tasks = ids.map((id) => (id.includes("?") ? null : ({ id } as Task)));
      writes.push({ ids, forgotten, answer: (error) => (error ? reject(error) : resolve(tasks)) });
    });
  const counted: string[] = [];
  const parts = {
    cancelled: ({ id }: { id: string }) => void counted.push(id),
    doubted: () => void counted.push("doubt"),
    forgotten: () => [7],
  };
  return {
    writes,
    counted,
    requests: new SharedRequests(store, { clock: new ManualClock(), standsStill: false, nowMs: () => 0 }, parts),
  };
}

function requestOf(ids: string | string[], more: Partial<CreateRequest> & { key?: string } = {}): CreateRequest {
  const { key = null, ...rest } = more;
  return { namespace: "default", tasks: [ids].flat().map((id) => ({ id, key }) as NewTask), ...rest };
}

/** The ids that a caller received, or the error. */
async function told(reply: Promise<CreateReply>): Promise<unknown> {
  return reply.then(
    (answer) => "results" in answer && answer.results.map((result) => "task" in result && result.task.id),
    (error: TickwheelError) => error.code,
  );
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** Two writes under way: "a" and "b". */
async function bothBusy() {
  const { writes, requests } = storeOf();
  const first = told(requests.create(requestOf("a")));
  await settled();
  const second = told(requests.create(requestOf("b")));
  await settled();
  return { writes, requests, replies: [first, second] };
}

describe("shared requests", () => {
  test("the request of a lone caller is written at once, alone", async () => {
    const { writes, requests } = storeOf();
    const reply = told(requests.create(requestOf("a")));
    await Promise.resolve();
    expect(writes.map(({ ids }) => ids)).toEqual([["a"]]);
    writes[0]!.answer();
    expect(await reply).toEqual(["a"]);
  });

  test("requests of callers of the same moment share a write", async () => {
    const { writes, requests } = storeOf();
    for (const id of ["a", "b", "c"]) void requests.create(requestOf(id));
    await settled();
    expect(writes.map(({ ids }) => ids)).toEqual([["a", "b", "c"]]);
  });

  test("requests of many callers are split between two writes, which overlap", async () => {
    const { writes, requests } = storeOf();
    const sizes = (): number[] => writes.map(({ ids }) => ids.length);
    const ask = (): Promise<CreateReply> => requests.create(requestOf("x"));
    for (let caller = 0; caller < 64; caller++) void ask();
    await settled();
    expect(sizes()).toEqual([32, 32]);
    for (let caller = 0; caller < 32; caller++) void ask();
    writes[0]!.answer();
    await settled();
    expect(sizes()).toEqual([32, 32, 32]);
  });

  test("requests during two writes go into the next write, in order, and each caller gets its own result", async () => {
    const { writes, requests, replies } = await bothBusy();
    for (const ids of ["c", ["d", "e"], "f"]) replies.push(told(requests.create(requestOf(ids))));
    await settled();
    expect(writes.map(({ ids }) => ids)).toEqual([["a"], ["b"]]);
    writes[1]!.answer();
    await settled();
    expect(writes.slice(2).map(({ ids }) => ids)).toEqual([["c", "d", "e", "f"]]);
    writes[0]!.answer();
    writes[2]!.answer();
    expect(await Promise.all(replies)).toEqual([["a"], ["b"], ["c"], ["d", "e"], ["f"]]);
  });

  test("a request that may have to wait goes alone, at once", async () => {
    const { writes, requests } = storeOf();
    const alone = [{ key: "k" }, { idempotency: { key: "i", bodyHash: "h" } }];
    for (const more of ["a", "b"].flatMap((id) => alone.map((rest) => requestOf(id, rest)))) void requests.create(more);
    expect(writes.map(({ ids }) => ids)).toEqual([["a"], ["a"], ["b"], ["b"]]);
  });

  test("requests of different namespaces share no write", async () => {
    const { writes, requests } = storeOf();
    for (const [id, namespace] of Object.entries({ c: "one", d: "two", e: "one" }))
      void requests.create(requestOf(id, { namespace }));
    await settled();
    expect(writes.map(({ ids }) => ids)).toEqual([["c", "e"], ["d"]]);
  });

  test("a bad row in a shared write fails alone", async () => {
    const { writes, requests } = storeOf();
    const replies = ["c", "!", "d"].map((id) => told(requests.create(requestOf(id))));
    await settled();
    writes[0]!.answer();
    await settled();
    expect(writes.slice(1).map(({ ids }) => ids)).toEqual([["c"], ["!"], ["d"]]);
    for (const { answer } of writes) answer();
    expect(await Promise.all(replies)).toEqual([["c"], "INTERNAL", ["d"]]);
  });

  test("after no answer to a shared write the outcome is unknown to all its callers, and nothing is written twice", async () => {
    const { writes, requests } = storeOf();
    const replies = ["c", "d"].map((id) => told(requests.create(requestOf(id))));
    await settled();
    writes[0]!.answer(away);
    expect(await Promise.all(replies)).toEqual(["STORE_UNAVAILABLE", "STORE_UNAVAILABLE"]);
    expect(writes).toHaveLength(1);
    void requests.create(requestOf("e"));
    await settled();
    expect(writes[1]!.ids).toEqual(["e"]);
  });

  test("a shared write has a limit: more goes into the next write, and a large request goes alone", async () => {
    const { writes, requests } = await bothBusy();
    const many = (count: number): string[] => Array.from({ length: count }, (_, place) => String(place));
    for (const count of [200, 56, 1, 300]) void requests.create(requestOf(many(count)));
    for (const { answer } of writes) answer();
    await settled();
    expect(writes.map(({ ids }) => ids.length)).toEqual([1, 1, 300, 256, 1]);
  });

  test("cancels by id share a write; cancels that it could not do are repeated alone, and delay no other", async () => {
    const { writes, requests } = storeOf();
    const cancel = (id: string): Promise<CancelReply> =>
      requests.cancel({ target: { namespace: "default", id }, actor: "a" });
    const replies = ["c", "?", "d"].map(cancel);
    await settled();
    expect(writes[0]!.ids).toEqual(["c", "?", "d"]);
    writes[0]!.answer();
    const told = await Promise.all([0, 2].map((place) => replies[place]));
    expect(told.map((reply) => reply!.outcome)).toEqual(["cancelled", "cancelled"]);
    void cancel("e");
    await settled();
    expect(writes.slice(1).map(({ ids }) => ids)).toEqual([["alone"], ["e"]]);
    writes[1]!.answer();
    expect(await replies[1]).toEqual({ outcome: "not_found" });
  });

  test("cancels that are answered briefly share writes of their own, and are counted as other cancels are", async () => {
    const { writes, counted, requests } = storeOf();
    const brief = (id: string) => requests.cancelBriefly({ namespace: "default", id, actor: "a" });
    const whole = requests.cancel({ target: { namespace: "default", id: "w" }, actor: "a" });
    const replies = ["c", "?", "d"].map(brief);
    await settled();
    expect(writes.map(({ ids, forgotten }) => [ids, forgotten])).toEqual([
      [["w"], [7]],
      [["c", "?", "d"], [7]],
    ]);
    for (const { answer } of Array.from(writes)) answer();
    await settled();
    writes[2]!.answer();
    expect(await Promise.all(replies)).toEqual([
      { outcome: "cancelled", id: "c" },
      { outcome: "not_found" },
      { outcome: "cancelled", id: "d" },
    ]);
    expect(await whole).toEqual({ outcome: "cancelled", task: { id: "w" } });
    const lost = brief("e");
    await settled();
    writes[3]!.answer(away);
    await expect(lost).rejects.toBe(away);
    expect(counted).toEqual(["w", "c", "d", "doubt"]);
  });

  test("a cancel by key goes alone", async () => {
    const { writes, requests } = storeOf();
    void requests.cancel({ target: { namespace: "default", type: "t", key: "k" }, actor: "a" });
    expect(writes.map(({ ids }) => ids)).toEqual([["alone"]]);
  });
});
