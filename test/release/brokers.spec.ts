import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import { type Inbox, kafkaInbox, natsInbox, rabbitmqInbox, redisInbox } from "../support/brokers/inbox.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures, summaryOf } from "../support/figures.js";

const CALM = 2_000;
const TASKS = 10_000;
const BULK = 1_000;
/** Tasks of the storm are due from so long after their creation on, and each second so many. */
const AHEAD_MS = 4_000;
const PER_SECOND = 400;
/** A task may be in flight at several kills. */
const MAX_ATTEMPTS = 10;

let stage = new TestStage();
let inbox: Inbox | undefined;

afterEach(async () => {
  await stage.stop();
  await inbox?.stop();
  inbox = undefined;
  stage = new TestStage();
});
afterAll(() => stage.stop());

interface Scene {
  inbox: Inbox;
  services: TestServices;
  nodes: TestNode[];
  start: () => Promise<TestNode>;
}

async function open(startInbox: () => Promise<Inbox>): Promise<Scene> {
  const own = (inbox = await startInbox());
  const services = await stage.services({ redis: true });
  const env = { TICKWHEEL_BROKERS: JSON.stringify({ shop: own.target }) };
  const { databaseUrl, redisUrl } = services;
  const start = () => stage.scheduler({ databaseUrl, ...(redisUrl && { redisUrl }), env });
  return { inbox: own, services, nodes: [await start(), await start()], start };
}

/** @returns when each is due, by its id */
async function createAll({ inbox: { target }, nodes }: Scene, count: number): Promise<Map<string, number>> {
  const dueAt = new Map<string, number>();
  const beginsMs = Date.now() + AHEAD_MS;
  const deliver = { kind: target.kind, to: "shop" };
  for (let first = 0; first < count; first += BULK) {
    const tasks = Array.from({ length: BULK }, (_, n) => ({
      type: "order.expire",
      payload: { order: first + n },
      maxAttempts: MAX_ATTEMPTS,
      deliver,
      scheduledAt: new Date(beginsMs + ((first + n) * 1_000) / PER_SECOND).toISOString(),
    }));
    for (const { id, scheduledAt } of await nodes[0]!.client.scheduleMany(tasks))
      dueAt.set(id, Date.parse(scheduledAt));
  }
  return dueAt;
}

/** @returns of all tasks that have ended, how long after its time each was acknowledged, in milliseconds */
async function whenAllEnded({ superuserUrl }: TestServices, count: number): Promise<number[]> {
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const sql = `SELECT state, extract(epoch FROM finished_at - scheduled_at)::float8 * 1000 AS "lateMs" FROM tickwheel.history`;
    return await eventually(async () => {
      const { rows } = await client.query<{ state: number; lateMs: number }>(sql);
      const left = await client.query("SELECT last_error, count(*) FROM tickwheel.task GROUP BY last_error");
      expect(left.rows).toEqual([]);
      expect(rows).toHaveLength(count);
      expect(new Set(rows.map(({ state }) => state)).size).toBe(1);
      return rows.map(({ lateMs }) => lateMs);
    });
  } finally {
    await client.end();
  }
}

/** None is missing, none came before its time. */
async function judge({ inbox: { all } }: Scene, dueAt: ReadonlyMap<string, number>): Promise<{ duplicates: number }> {
  const came = await eventually(async () => {
    const received = (await all()).filter(({ id }) => dueAt.has(id));
    const ids = new Set(received.map(({ id }) => id));
    const missing = [...dueAt.keys()].filter((id) => !ids.has(id)).length;
    if (missing > 0) throw new Error(`${missing} of ${dueAt.size} messages are missing`);
    return received;
  });
  const early = came.filter(({ id, atMs }) => atMs < dueAt.get(id)!);
  expect(early).toEqual([]);
  return { duplicates: came.length - dueAt.size };
}

/** What happens to the broker while the tasks are published. */
type Blow = "kill" | "pause";

describe.each<[string, () => Promise<Inbox>, Blow]>([
  ["RabbitMQ", rabbitmqInbox, "kill"],
  ["NATS", natsInbox, "kill"],
  ["Redis", redisInbox, "kill"],
  // The mock keeps nothing over a kill.
  ["a mock of Kafka", kafkaInbox, "pause"],
])("%s", (name, startInbox, blow) => {
  test(`${CALM} messages come once and in time; ${TASKS} at least once, whatever is killed`, async () => {
    const scene = await open(startInbox);
    const calm = await createAll(scene, CALM);
    const calmMs = await whenAllEnded(scene.services, CALM);
    const { duplicates: ofCalm } = await judge(scene, calm);
    printFigures(`${name}: due to acknowledged`, { ...summaryOf(calmMs), duplicates: ofCalm });
    expect(ofCalm).toBe(0);

    const storm = await createAll(scene, TASKS);
    await strike(scene, blow);
    const stormMs = await whenAllEnded(scene.services, CALM + TASKS);
    const { duplicates } = await judge(scene, storm);
    printFigures(`${name}: with blows`, { ...summaryOf(stormMs), duplicates });
  });
});

/** A node and the broker are struck in turn, twice each, while tasks fall due. */
async function strike({ inbox: { broker }, nodes, start }: Scene, blow: Blow): Promise<void> {
  await lasting(AHEAD_MS);
  for (let round = 0; round < 2; round++) {
    await lasting(3_000);
    if (blow === "kill") await broker.kill();
    else broker.pause();
    await lasting(3_000);
    if (blow === "kill") await broker.restart();
    else broker.resume();
    await lasting(3_000);
    await nodes.pop()!.kill();
    nodes.push(await start());
  }
}
