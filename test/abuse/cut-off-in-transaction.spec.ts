import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JournalBody, TaskBody } from "../support/api-client.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectOneView } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { tellTimes } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";

const RERUN_LIMIT_MS = 10_000;
const TYPE = "credit";

const stage = new TestStage();
let nodes: TestNode[];
let ledger: Ledger;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  await ledger.query("CREATE TABLE account (name text PRIMARY KEY, credits int NOT NULL)");
  nodes = await stage.many(2, () => stage.app({ databaseUrl, types: [TYPE] }));
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

async function open(name: string): Promise<void> {
  await ledger.query(`INSERT INTO account VALUES ('${name}', 0)`);
}

async function creditsOf(name: string): Promise<number> {
  const [row] = await ledger.query<{ credits: number }>(`SELECT credits FROM account WHERE name = '${name}'`);
  return row!.credits;
}

/** The task times out long before a row whose lock is never released would be free. */
const patience = { type: TYPE, timeout: 2_000, maxAttempts: 3, backoff: { kind: "fixed", delay: 100 } };

describe("a handler whose process is stopped after its update, in ctx.transaction", () => {
  test("a handler stopped after its update in ctx.transaction delays nothing: its task succeeds elsewhere, uncharged, unchanged by it", async () => {
    await open("stopped");
    const task = await nodes[0]!.client.schedule({ ...patience, payload: { credits: "stopped", stopFence: 1 } });
    const first = await eventually(async () => {
      const start = (await ledger.starts()).find(({ taskId }) => taskId === task.id);
      expect(start).toBeDefined();
      return start!;
    });
    const stopped = nodes.find(({ pid }) => String(pid) === first.node)!;
    const other = nodes.find((node) => node !== stopped)!;
    const read = async (): Promise<TaskBody> => (await other.client.get<TaskBody>(`/v1/tasks/${task.id}`)).body;

    await eventually(async () => expect((await read()).state).toMatch(/succeeded|dead/));
    const ended = await read();
    expect(ended).toMatchObject({ state: "succeeded", attempt: 1, crashCount: 1 });
    expect(await creditsOf("stopped")).toBe(1);
    const again = (await ledger.starts()).find(({ taskId, fence }) => taskId === task.id && fence > 1)!;
    tellTimes("a node stopped inside ctx.transaction", {
      "its task runs again": { ms: again.atMs - first.atMs, boundMs: RERUN_LIMIT_MS },
    });

    process.kill(stopped.pid, "SIGCONT");
    await eventually(() => expectOneView(nodes));
    // Its handler has ended there and changed nothing.
    await eventually(async () => expect((await ledger.ends()).map(({ fence }) => fence)).toContain(1));
    expect(await read()).toEqual(ended);
    expect(await creditsOf("stopped")).toBe(1);
  });
});

describe("a handler that ignores its abort, in ctx.transaction", () => {
  test("a handler that ignores its abort in ctx.transaction delays the next execution by one time-out, which charges no attempt", async () => {
    await open("deaf");
    const { client } = nodes[0]!;
    const task = await client.schedule({ ...patience, payload: { credits: "deaf", deafFence: 1 } });
    const read = async (): Promise<TaskBody> => (await client.get<TaskBody>(`/v1/tasks/${task.id}`)).body;
    await eventually(async () => expect((await read()).state).toMatch(/succeeded|dead/));
    const { body } = await client.get<JournalBody>(`/v1/tasks/${task.id}/journal`);
    const ways = body.items.filter(({ from, to }) => from === "running" && to === "scheduled");
    expect(ways.map(({ reason, attempt }) => [reason, attempt])).toEqual([
      ["FAILED", 1],
      ["WAITED_FOR_ITSELF", 2],
    ]);
    expect(await read()).toMatchObject({ state: "succeeded", attempt: 2, crashCount: 0 });
    expect(await creditsOf("deaf")).toBe(1);
  });
});
