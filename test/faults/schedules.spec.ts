import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { PostgresService } from "@tickwheel/local-services";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures, summaryOf } from "../support/figures.js";
import { Ledger, type Occurred } from "../support/ledger.js";

/** In `test:release` more schedules run for longer, and a node dies each 30 s. */
const SCHEDULES = depth({ sample: 30, whole: 300 });
const KILLS = depth({ sample: 1, whole: 8 });
const BETWEEN_KILLS_MS = depth({ sample: 5_000, whole: 30_000 });
const ZONES = ["UTC", "Europe/Berlin", "Australia/Lord_Howe"];

const stage = new TestStage();
let services: TestServices;
let nodes: TestNode[] = [];
let ledger: Ledger;
let postgres: PostgresService;

beforeAll(async () => {
  services = await stage.services({ redis: true });
  postgres = services.postgres;
  ledger = await stage.add(new Ledger(services.databaseUrl));
  await ledger.create();
  nodes = await stage.many(3, startNode);
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

function startNode(): Promise<TestNode> {
  const { databaseUrl, redisUrl } = services;
  return stage.app({ databaseUrl, redisUrl, types: ["order"] });
}

type Row =
  | { kind: "spec" | "trigger"; at: string; missed: number; outcome: string | null }
  | { kind: "skip"; from: string; to: string; count: number; more: boolean; reason: string };

/** All runs of a schedule that are kept, the newest first. */
async function runsOf(name: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { body: { items: Row[]; nextCursor: string | null } } = await nodes[0]!.client.get(
      `/v1/schedules/${name}/runs?limit=200${cursor && `&cursor=${cursor}`}`,
    );
    rows.push(...page.body.items);
    cursor = page.body.nextCursor;
  }
  return rows;
}

/** Each second to each hour, three zones: the seconds run often enough to be judged, the others are there. */
async function makeSchedules(): Promise<string[]> {
  const names = Array.from({ length: SCHEDULES }, (_, index) => `s${index}`);
  const bodies = names.map((name, index) => {
    const timeZone = ZONES[index % ZONES.length];
    const cron = index % 3 === 0 ? "* * * * * *" : index % 3 === 1 ? `*/${2 + (index % 5)} * * * * *` : "0 * * * *";
    return { name, type: "order", cron, timeZone, payload: { holdMs: 20 }, backoff: { kind: "fixed", delay: "100ms" } };
  });
  for (const { name, ...body } of bodies) {
    const { status } = await nodes[0]!.client.send("PUT", `/v1/schedules/${name}`, { body: JSON.stringify(body) });
    expect(status).toBe(201);
  }
  return names;
}

/** What each schedule's instants came to: each exactly one of run and skipped, none twice. */
function expectAccounted(name: string, rows: readonly Row[], occurred: readonly Occurred[]): void {
  const ran = rows.flatMap((row) => (row.kind === "skip" || row.outcome === null ? [] : [Date.parse(row.at)]));
  const kept = new Set(ran);
  expect({ name, double: ran.length - kept.size }).toEqual({ name, double: 0 });
  const instants = occurred.map(({ instant }) => instant);
  expect({ name, double: instants.length - new Set(instants).size }).toEqual({ name, double: 0 });
  const skips = rows.flatMap((row) => (row.kind === "skip" ? [row] : []));
  const accounted = [
    ...ran.map((at) => ({ from: at, to: at, count: 1 })),
    ...skips.map(({ from, to, count }) => ({ from: Date.parse(from), to: Date.parse(to), count })),
  ].sort((one, other) => one.from - other.from);
  for (const [index, { from }] of accounted.entries())
    if (index > 0) expect({ name, isBehind: from > accounted[index - 1]!.to }).toEqual({ name, isBehind: true });
}

/** Of a schedule of each second nothing lies between two of its rows. */
function expectNoGap(name: string, rows: readonly Row[]): void {
  const spans = rows
    .flatMap((row): [number, number, number][] => {
      if (row.kind === "skip") return [[Date.parse(row.from), Date.parse(row.to), row.count]];
      return row.outcome === null ? [] : [[Date.parse(row.at), Date.parse(row.at), 1]];
    })
    .sort(([one], [other]) => one - other);
  const count = spans.reduce((sum, [, , instants]) => sum + instants, 0);
  const seconds = (spans.at(-1)![1] - spans[0]![0]) / 1_000 + 1;
  expect({ name, count }).toEqual({ name, count: seconds });
}

describe("schedules while nodes and Postgres die", () => {
  test("every instant is accounted for exactly once", async () => {
    const names = await makeSchedules();
    await eventually(async () => expect((await ledger.occurred()).length).toBeGreaterThan(SCHEDULES));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const [victim] = nodes.splice(kill % nodes.length, 1);
      await victim!.kill();
      nodes.push(await startNode());
      if (kill === Math.floor(KILLS / 2)) await postgres.restart({ mode: "immediate" });
      await lasting(BETWEEN_KILLS_MS);
    }
    const before = (await ledger.occurred()).length;
    await eventually(async () => expect((await ledger.occurred()).length).toBeGreaterThan(before + SCHEDULES));
    for (const name of names)
      await eventually(async () =>
        expect((await nodes[0]!.client.post(`/v1/schedules/${name}/pause`, {})).status).toBe(200),
      );
    await eventually(async () => {
      const { body } = await nodes[0]!.client.get<{ items: unknown[] }>("/v1/tasks?type=order&live=true");
      expect(body.items).toEqual([]);
    });
    // A pause settles what was missed; the look concludes what ran on.
    for (const name of names) await nodes[0]!.client.post(`/v1/schedules/${name}/resume`, {});
    for (const name of names) await nodes[0]!.client.post(`/v1/schedules/${name}/pause`, {});
    const occurred = await ledger.occurred();
    for (const [index, name] of names.entries()) {
      const rows = await runsOf(name);
      expectAccounted(
        name,
        rows,
        occurred.filter(({ schedule }) => schedule === name),
      );
      if (index % 3 === 0) expectNoGap(name, rows);
    }
    printFigures("schedules under faults", {
      occurrences: occurred.length,
      missed: occurred.reduce((sum, { missed }) => sum + missed, 0),
      lateness: summaryOf((await ledger.starts()).map(({ atMs, dueAtMs }) => atMs - dueAtMs)),
    });
  });
});
