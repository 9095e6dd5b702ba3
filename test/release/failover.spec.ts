import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "@tickwheel/local-services";
import type { TaskRow } from "@tickwheel/testing";
import type { Finding } from "../support/api-client.js";
import { requirePromises } from "../support/broken-promise.js";
import { spawnScheduler, type TestNode, TestStage } from "../support/cluster.js";
import { faultsOf } from "../faults/schedule-accounts.js";
import { type Definition, rulesOf } from "../faults/schedule-definitions.js";
import { ScheduleRecords } from "../faults/schedule-records.js";
import { expectOneView } from "../support/cluster-view.js";
import { eventually, lasting } from "../support/eventually.js";
import { brokenRulesIn, rowsAtRest } from "../support/fail-over/judged-run.js";
import { MergeLoad } from "../support/fail-over/merge-load.js";
import type { PatroniMember } from "../support/fail-over/patroni-member.js";
import { PostgresCluster } from "../support/fail-over/postgres-cluster.js";
import { FAULT_ROUNDS, tellRound } from "../support/fail-over/rounds.js";
import { printFigures } from "../support/figures.js";
import { type Evidence, gatherEvidence, invariantsOf } from "../support/invariants.js";
import { type End, Ledger } from "../support/ledger.js";
import type { TaskLoad, TaskLoadOptions } from "../support/task-load.js";

/** Longer than Patroni gives etcd to answer, so the primary has stepped down. */
const ETCD_AWAY_MS = 12_000;
/** How long before the primary's machine asynchronous standbys die: what is acknowledged meanwhile is lost. */
const LAG_MS = 500;
const NUMBERS = 300;
/** Handlers write down what they did when there is a primary again. */
const PATIENT = { TEST_RECORD_TRIES: "1200" };
/** The schedules that go on through all fail-overs. */
const TICKS = new Map<string, Definition>([1, 2, 5].map((everySeconds) => [`each-${everySeconds}`, { everySeconds }]));
const TYPES = { orders: "order", merges: MergeLoad.type, chunks: "chunking", ticks: "tick" };

interface FailOver {
  name: string;
  /** Takes the primary away, and waits until there is one again. */
  strike(cluster: PostgresCluster, old: PatroniMember): Promise<void>;
  /** Brings back what was taken away. */
  heal(cluster: PostgresCluster, old: PatroniMember): Promise<void>;
}

/** What is known of a fail-over when all is quiet again. */
interface Struck {
  evidence: Evidence;
  ends: End[];
  /** Every task that Tickwheel's tables hold. */
  rows: TaskRow[];
  merges: MergeLoad;
  batchId: string;
  struckMs: number;
  /** When there was a primary again. */
  primaryMs: number;
  /** When the first create after that was answered. */
  createdMs: number;
}

const FAIL_OVERS: FailOver[] = [
  {
    name: "its machine dies",
    async strike(cluster, old) {
      old.kill();
      await cluster.otherPrimary(old);
    },
    heal: (_cluster, old) => old.start(),
  },
  {
    name: "its machine stands still and comes back",
    async strike(cluster, old) {
      old.pause();
      await cluster.otherPrimary(old);
    },
    heal: async (_cluster, old) => old.resume(),
  },
  {
    name: "it is switched over by hand",
    async strike(cluster, old) {
      await cluster.switchOver();
      await cluster.otherPrimary(old);
    },
    heal: async () => {},
  },
  {
    name: "it is cut off from etcd",
    async strike(cluster, old) {
      old.cutFromEtcd();
      await cluster.otherPrimary(old);
    },
    heal: async (_cluster, old) => old.healEtcd(),
  },
  {
    name: "etcd is away",
    async strike(cluster) {
      cluster.etcd.kill();
      await lasting(ETCD_AWAY_MS);
      await cluster.etcd.restart();
      await cluster.primary();
    },
    heal: async () => {},
  },
];

describe.each([
  ["synchronous standbys", true],
  ["asynchronous standbys", false],
])("a Postgres cluster with %s", (standbys, isSynchronous) => {
  const stage = new TestStage();
  let cluster: PostgresCluster;
  let ledger: Ledger;
  let nodes: TestNode[];
  let records: ScheduleRecords;

  beforeAll(async () => {
    cluster = await stage.add(await PostgresCluster.start({ isSynchronous }));
    const { redisUrl } = await stage.services({ redis: true });
    ledger = await stage.add(new Ledger(cluster.url));
    await eventually(() => ledger.create());
    await ledger.query("CREATE TABLE counted (n int, task_id uuid, batch_id uuid)");
    const types = Object.values(TYPES);
    nodes = await stage.many(3, () => stage.app({ databaseUrl: cluster.url, redisUrl, types, env: PATIENT }));
    await eventually(() => expectOneView(nodes));
    records = new ScheduleRecords(ledger);
    await records.keepAll();
    for (const [name, definition] of TICKS) await makeSchedule(name, definition);
  });
  afterEach(() => stage.endLoads());
  afterAll(() => stage.stop());

  async function makeSchedule(name: string, definition: Definition): Promise<void> {
    const payload = { version: "1" };
    const task = { type: TYPES.ticks, payload, maxAttempts: 20, backoff: { kind: "fixed", delay: "200ms" } };
    const body = JSON.stringify({ ...task, ...rulesOf(definition) });
    const { status } = await nodes[0]!.client.send("PUT", `/v1/schedules/${name}`, { body });
    expect(status).toBe(201);
  }

  /** Pauses a schedule for good. What its last runs left unsettled is settled by a resume. */
  async function endSchedule(name: string): Promise<void> {
    for (const verb of ["pause", "resume", "pause"]) {
      const { status } = await nodes[0]!.client.post(`/v1/schedules/${name}/${verb}`, {});
      expect(status).toBe(200);
    }
  }

  /** Waits until nothing is left but what schedules make. */
  async function quiet(): Promise<void> {
    const types = Object.values(TYPES).filter((type) => type !== TYPES.ticks);
    await eventually(async () => {
      const path = `/v1/tasks?state=scheduled,running&type=${types.join(",")}&limit=3`;
      const { status, body } = await nodes[0]!.client.get<{ items: object[]; incomplete?: true }>(path);
      expect({ status, ...body }).toMatchObject({ status: 200, items: [] });
      expect(body.incomplete).toBeUndefined();
    });
  }

  function orders(perSecond: number, more: Pick<TaskLoadOptions, "cancelEvery" | "keys">): TaskLoad {
    const payload = { effect: true, holdMs: 20 };
    return stage.load(nodes, { type: TYPES.orders, perSecond, delayMs: [100, 3_000], payload, ...more });
  }

  /** Counts numbers by tasks that are spawned and completed in transactions of their handlers. */
  async function startBatch(): Promise<string> {
    const { status, body } = await nodes[0]!.client.post<{ id: string }>("/v1/batches", {
      name: `count-${Date.now()}`,
      tasks: [{ type: TYPES.chunks, payload: { from: 0, to: NUMBERS }, maxAttempts: 20 }],
      seal: true,
    });
    expect(status).toBe(201);
    return body.id;
  }

  async function miscounted(batchId: string): Promise<string[]> {
    await eventually(async () => {
      const { body } = await nodes[0]!.client.get<{ state: string }>(`/v1/batches/${batchId}`);
      expect(body.state).toBe("complete");
    });
    const rows = await ledger.query<{ n: number; times: number }>(`
      SELECT n.n, count(c.task_id)::int AS times FROM generate_series(0, ${NUMBERS - 1}) AS n (n)
        LEFT JOIN counted c ON c.n = n.n AND c.batch_id = '${batchId}' GROUP BY n.n HAVING count(c.task_id) <> 1 LIMIT 10`);
    return rows.map(({ n, times }) => `the number ${n} was counted ${times} times`);
  }

  async function findings(): Promise<string[]> {
    const { body } = await nodes[0]!.client.get<{ now: Finding[] }>("/v1/findings");
    return body.now.map(({ code }) => code);
  }

  /** One fail-over under load, from before it until all is quiet again. */
  async function struckOnce(failOver: FailOver): Promise<Struck> {
    await cluster.whole();
    // A cancel of a task that a later create has moved would be that create's cancel, too.
    const loads = [orders(50, { cancelEvery: 10 }), orders(8, { keys: 12 })];
    const merges = new MergeLoad(`${failOver.name} ${Date.now()}`, nodes).start();
    const batchId = await startBatch();
    const atLeast = (count: number): Promise<void> =>
      eventually(() => expect(loads[0]!.acknowledged.size).toBeGreaterThan(count));
    await atLeast(100);
    const old = await cluster.primary();
    const struckMs = await strike(failOver, old);
    const primaryMs = Date.now();
    const known = loads[0]!.acknowledged.size;
    await atLeast(known);
    const createdMs = Date.now();
    await atLeast(known + 60);
    await failOver.heal(cluster, old);
    await cluster.whole();
    const acknowledged = (await Promise.all(loads.map((load) => load.stop()))).flat();
    await merges.stop();
    await quiet();
    await eventually(() => expectOneView(nodes));
    // Schedules go on: of what has an end here, the start is read after it.
    const ends = await ledger.ends();
    const evidence = await gatherEvidence(acknowledged, { ledger, client: nodes[0]!.client });
    return {
      evidence,
      ends,
      rows: await rowsAtRest(ledger, TYPES.ticks),
      merges,
      batchId,
      struckMs,
      primaryMs,
      createdMs,
    };
  }

  /** @returns when it struck */
  async function strike({ name, strike: blow }: FailOver, old: PatroniMember): Promise<number> {
    const lagging = isSynchronous || !name.endsWith("dies") ? [] : cluster.members.filter((member) => member !== old);
    for (const member of lagging) member.kill();
    if (lagging.length > 0) await lasting(LAG_MS);
    const struckMs = Date.now();
    const struck = blow(cluster, old);
    for (const member of lagging) await member.start();
    await struck;
    return struckMs;
  }

  async function round(failOver: FailOver): Promise<void> {
    const struck = await struckOnce(failOver);
    const { evidence, rows, struckMs, primaryMs, createdMs } = struck;
    const there = new Set(rows.map(({ id }) => id));
    const lost = evidence.acknowledged.filter(({ id }) => !there.has(id));
    const ranAgain = evidence.acknowledged.filter(({ id }) => evidence.returns.has(id));
    const startsAgain = evidence.starts.map(({ atMs }) => atMs).filter((atMs) => atMs > primaryMs);
    tellRound({
      servers: `Postgres, ${standbys}`,
      what: failOver.name,
      round: {
        acknowledged: evidence.acknowledged.length,
        lost: lost.length,
        ranAgain: ranAgain.length,
        awayMs: primaryMs - struckMs,
        createMs: createdMs - primaryMs,
        startMs: Math.round(Math.min(...startsAgain) - primaryMs),
      },
    });
    if (isSynchronous) return judge(struck);
    requirePromises(invariantsOf(evidence).filter((fault) => fault.endsWith("has two effects")));
    const unexplained = lost.filter(({ atMs }) => atMs! < struckMs - 2 * LAG_MS || atMs! > primaryMs);
    requirePromises(unexplained.map(({ id }) => `task ${id} was lost and not by the fail-over`));
    await eventually(async () => expect(await findings()).toContain("STANDBYS_ASYNCHRONOUS"));
  }

  async function judge({ evidence, ends, rows, merges, batchId }: Struck): Promise<void> {
    requirePromises([
      ...invariantsOf(evidence),
      ...brokenRulesIn({ ...evidence, rows, ends }),
      ...(await merges.wrongSums(ledger)),
      ...(await miscounted(batchId)),
    ]);
    // While the other standby is not back, the new primary waits for nobody, and this is told until the next look.
    await eventually(async () => expect(await findings()).not.toContain("STANDBYS_ASYNCHRONOUS"));
  }

  test.each(FAIL_OVERS.map((failOver) => [failOver.name, failOver] as const))(
    "%s: work goes on with the new primary, and nothing is lost but what asynchronous standbys have not received",
    async (_name, failOver) => {
      for (let count = 0; count < FAULT_ROUNDS; count++) await round(failOver);
    },
    FAULT_ROUNDS * 300_000,
  );

  test("every instant of the schedules is accounted for once, through all fail-overs", async () => {
    for (const name of TICKS.keys()) await endSchedule(name);
    await eventually(async () => expect(await records.open()).toBe(0));
    const evidence = await records.evidence((name) => [{ version: "1", definition: TICKS.get(name)! }]);
    const instants = evidence.flatMap(({ stretches }) => stretches.flatMap((stretch) => stretch.instants));
    const ran = evidence.flatMap(({ occurred }) => occurred);
    printFigures(`${standbys}: schedules`, { instants: instants.length, ran: ran.length });
    expect(ran.length).toBeGreaterThan(0);
    if (isSynchronous) requirePromises(evidence.flatMap(faultsOf));
  });

  test("a node that is led to a standby does not start, and says why", async () => {
    const port = await freePort();
    const node = await stage.add(spawnScheduler({ databaseUrl: cluster.standbyUrl, apiKey: stage.apiKey, port }));
    expect(await node.exited).toMatchObject({ code: 1 });
    expect(node.log()).toMatch(/led to a server that is read only.*Connect to the primary; this is a standby/s);
  });
});
