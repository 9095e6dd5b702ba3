import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type TestNode, TestStage } from "../support/cluster.js";
import { expectSameView, lineOf } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";

interface EventBody {
  id: string;
  at: string;
  kind: string;
  node: { bootId: string; label: string; name: string } | null;
  lastBeatAt: string | null;
  facts: Record<string, unknown>;
}

/** Only the node runs it that is killed. */
const LOST = "report.render";

const stage = new TestStage();
let nodes: TestNode[];
let ledger: Ledger;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  const start = (types: string[]): Promise<TestNode> => stage.app({ databaseUrl, types });
  nodes = [...(await stage.many(2, () => start(["order"]))), await start(["order", LOST])];
  await eventually(() => expectSameView(nodes));
});
afterAll(() => stage.stop());

/** Events of these kinds by REST, oldest first. */
async function told(query: string): Promise<EventBody[]> {
  const { status, body } = await nodes[0]!.client.get<{ items: EventBody[] }>(`/v1/cluster/events?${query}`);
  expect(status).toBe(200);
  return [...body.items].reverse();
}

const kindsOf = (events: readonly EventBody[]): string[] => events.map(({ kind }) => kind);

interface Share {
  seconds: number[];
  overdue: number;
}

test("each node's share of the minute to come is told, and all shares together are the whole minute", async () => {
  const tasks = Array.from({ length: 300 }, (_, index) => ({
    type: "order",
    delay: `${50 + (index % 5)}s`,
    payload: {},
  }));
  expect((await nodes[1]!.client.post("/v1/tasks/bulk", { tasks })).status).toBeLessThan(300);
  const sum = ({ seconds }: Share): number => seconds.reduce((all, due) => all + due, 0);
  const wheel = await eventually(async () => {
    const { status, body } = await nodes[0]!.client.get<{
      all: Share;
      nobody: Share;
      nodes: (Share & { label: string; inMemory: number | null })[];
      fullest: { types: object[] }[];
    }>("/v1/cluster/wheel");
    // A node may be live before a view has it.
    expect({ status, due: sum(body.all), nodes: body.nodes.length }).toEqual({ status: 200, due: 300, nodes: 3 });
    return body;
  });
  const shares = wheel.nodes.map(sum);
  expect(shares.every((due) => due > 0)).toBe(true);
  expect(shares.reduce((all, due) => all + due, sum(wheel.nobody))).toBe(300);
  expect(wheel.nodes.every(({ inMemory }) => inMemory !== null)).toBe(true);
  expect(wheel.fullest[0]!.types).toMatchObject([{ type: "order" }]);
  expect((await nodes[0]!.client.get("/v1/cluster/wheel?node=1")).status).toBe(400);
});

test("a killed node is suspect, dead and taken over, and its tasks are taken back", async () => {
  const victim = nodes[2]!;
  const { bootId } = lineOf(await nodes[0]!.client.cluster(), victim.pid)!;
  await nodes[0]!.client.schedule({ type: LOST, payload: { holdMs: 600_000 } });
  await eventually(async () => expect(await ledger.query("SELECT 1 FROM started")).toHaveLength(1));
  const began = performance.now();
  await victim.kill();
  const [reaped] = await eventually(async () => {
    const events = await told("kind=REAPED&limit=10");
    expect(events).toHaveLength(1);
    return events;
  });
  expect(reaped!.facts).toEqual({ nodes: [bootId], tasks: 1, dead: 0 });
  const own = (await told(`node=${bootId}`)).filter(({ kind }) => kind !== "VIEW" && kind !== "TERM");
  expect(kindsOf(own)).toEqual(["JOINED", "SUSPECT", "DEAD", "REAPED"]);
  const [, suspect, dead] = own;
  expect(dead!.facts).toMatchObject({ orphanedTypes: [LOST], missedBeats: expect.any(Number), blocked: null });
  expect(Date.parse(dead!.lastBeatAt!)).toBeLessThan(Date.parse(suspect!.at));
  const takers = await eventually(async () => {
    const takeovers = await told("kind=TAKEOVER&limit=10");
    expect(takeovers).toHaveLength(2);
    return takeovers;
  });
  const slots = takers.map(({ facts }) => facts["slots"] as number);
  for (const { facts } of takers) expect(facts["from"]).toMatchObject([{ bootId, left: "SILENT" }]);
  expect(slots.every((count) => count > 0)).toBe(true);
  const { gone } = (await nodes[1]!.client.cluster()) as unknown as { gone: object[] };
  expect(gone).toMatchObject([{ bootId, how: "DEAD", lastBeatAt: dead!.lastBeatAt, orphanedTypes: [LOST] }]);
  printFigures("a node killed, until its tasks were taken back", { ms: Math.round(performance.now() - began) });
});

test("a node that stops drains, is drained and leaves, and is taken over", async () => {
  const leaving = nodes[1]!;
  const { bootId } = lineOf(await nodes[0]!.client.cluster(), leaving.pid)!;
  const began = performance.now();
  await leaving.stop();
  const own = await eventually(async () => {
    const events = await told(`node=${bootId}&kind=JOINED,DRAINING,DRAINED,LEFT,SUSPECT,DEAD`);
    expect(kindsOf(events)).toEqual(["JOINED", "DRAINING", "DRAINED", "LEFT"]);
    return events;
  });
  expect(own[2]!.facts).toEqual({ lastedMs: expect.any(Number), givenBack: 0 });
  await eventually(async () => {
    const takeovers = await told("kind=TAKEOVER&limit=10");
    expect(takeovers.at(-1)!.facts["from"]).toMatchObject([{ bootId, left: "ASKED" }]);
  });
  printFigures("a node stopped, until it was taken over", { ms: Math.round(performance.now() - began) });
});
