import { describe, expect, test } from "@jest/globals";
import { type CreateReply, type CreateRequest, type NewTask, type Task, TickwheelError } from "@tickwheel/core";
import { GroupCommit } from "./group-commit.js";

const away = new TickwheelError("STORE_UNAVAILABLE", "away");
const refused = new TickwheelError("INTERNAL", "refused", { details: { dataRefused: true } });

interface Write {
  ids: string[];
  answer(error?: TickwheelError): void;
}

/** A store that answers when it is told to, and takes no task with a "!". */
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
  };
  return { writes, commit: new GroupCommit(store) };
}

function requestOf(ids: string | string[], more: Partial<CreateRequest> & { key?: string } = {}): CreateRequest {
  const { key = null, ...rest } = more;
  return { namespace: "default", tasks: [ids].flat().map((id) => ({ id, key }) as NewTask), ...rest };
}

/** The ids that a caller was told of, or why not. */
async function told(reply: Promise<CreateReply>): Promise<unknown> {
  return reply.then(
    (answer) => "results" in answer && answer.results.map((result) => "task" in result && result.task.id),
    (error: TickwheelError) => error.code,
  );
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

describe("group commit", () => {
  test("who is alone is written at once, by himself", async () => {
    const { writes, commit } = storeOf();
    const reply = told(commit.create(requestOf("a")));
    expect(writes.map(({ ids }) => ids)).toEqual([["a"]]);
    writes[0]!.answer();
    expect(await reply).toEqual(["a"]);
  });

  test("what comes while two writes are under way is the next one, in order, and each caller is told of his own", async () => {
    const { writes, commit } = storeOf();
    const requests = ["a", "b", "c", ["d", "e"], "f"].map((ids) => requestOf(ids));
    const replies = requests.map((request) => told(commit.create(request)));
    expect(writes.map(({ ids }) => ids)).toEqual([["a"], ["b"]]);
    writes[1]!.answer();
    await settled();
    expect(writes.slice(2).map(({ ids }) => ids)).toEqual([["c", "d", "e", "f"]]);
    writes[0]!.answer();
    writes[2]!.answer();
    expect(await Promise.all(replies)).toEqual([["a"], ["b"], ["c"], ["d", "e"], ["f"]]);
  });

  test("what may have to wait, or is of another namespace, shares nothing", async () => {
    const { writes, commit } = storeOf();
    const alone = [{ key: "k" }, { idempotency: { key: "i", bodyHash: "h" } }, { namespace: "other" }, {}];
    for (const more of ["a", "b"].flatMap((id) => alone.map((rest) => requestOf(id, rest)))) void commit.create(more);
    expect(writes.map(({ ids }) => ids)).toEqual(["a", "a", "a", "a", "b", "b", "b", "b"].map((id) => [id]));
  });

  test("a bad row fails alone", async () => {
    const { writes, commit } = storeOf();
    const replies = ["a", "b", "c", "!", "d"].map((id) => told(commit.create(requestOf(id))));
    writes[0]!.answer();
    await settled();
    writes[2]!.answer();
    await settled();
    expect(writes.slice(3).map(({ ids }) => ids)).toEqual([["c"], ["!"], ["d"]]);
    for (const { answer } of writes) answer();
    expect(await Promise.all(replies)).toEqual([["a"], ["b"], ["c"], "INTERNAL", ["d"]]);
  });

  test("where the store did not answer nobody of the group knows, and nothing is written twice", async () => {
    const { writes, commit } = storeOf();
    const replies = ["a", "b", "c", "d"].map((id) => told(commit.create(requestOf(id))));
    writes[0]!.answer();
    writes[1]!.answer();
    await settled();
    writes[2]!.answer(away);
    expect(await Promise.all(replies)).toEqual([["a"], ["b"], "STORE_UNAVAILABLE", "STORE_UNAVAILABLE"]);
    expect(writes).toHaveLength(3);
    void commit.create(requestOf("e"));
    expect(writes[3]!.ids).toEqual(["e"]);
  });

  test("a write has a limit: more goes into the next one, and a large request by itself", async () => {
    const { writes, commit } = storeOf();
    const many = (count: number): string[] => Array.from({ length: count }, (_, place) => String(place));
    for (const count of [1, 1, 200, 56, 1, 300]) void commit.create(requestOf(many(count)));
    for (const { answer } of writes) answer();
    await settled();
    expect(writes.map(({ ids }) => ids.length)).toEqual([1, 1, 300, 256, 1]);
  });
});
