import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "pg";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { requirePromises } from "../support/broken-promise.js";
import { gatherEvidence, invariantsOf } from "../support/invariants.js";
import { latenessOf, Ledger } from "../support/ledger.js";

const NODES = 3;
const PER_SECOND = 60;
/** The time between two disasters; it is so short that some hit a cluster that has not yet recovered. */
const PAUSE_MS = depth({ sample: 1_200, whole: 2_500 });
/** Longer than the beats after which a silent node is declared dead. */
const FROZEN_MS = 8_500;
const READ_ONLY_MS = 3_000;
const TERMINATIONS = 10;

const stage = new TestStage();
let services: TestServices;
let ledger: Ledger;
let nodes: TestNode[];

const startNode = (): Promise<TestNode> => {
  const { databaseUrl, redisUrl } = services;
  return stage.app({ databaseUrl, redisUrl, types: ["order"] });
};

beforeAll(async () => {
  services = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(services.databaseUrl));
  await ledger.create();
  nodes = await stage.many(NODES, startNode);
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

/** Runs queries as the superuser, on a connection of their own. */
async function ask(...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: services.superuserUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const READ_ONLY = (value: "on" | "off"): string[] => [
  `SET default_transaction_read_only = off`,
  `ALTER SYSTEM SET default_transaction_read_only = ${value}`,
  "SELECT pg_reload_conf()",
];

/** The disasters, one after the other. After each, `nodes` holds the nodes that take calls. */
const DISASTERS: [string, () => Promise<void>][] = [
  [
    "sessions are terminated",
    async () => {
      for (let count = 0; count < TERMINATIONS; count++) {
        await ask(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
        );
        await wait(100);
      }
    },
  ],
  ["a node is killed, another takes its place", () => replaceNode()],
  [
    "the database is read-only for a while",
    async () => {
      await ask(...READ_ONLY("on"));
      await wait(READ_ONLY_MS);
      await ask(...READ_ONLY("off"));
    },
  ],
  [
    "a node is frozen for longer than the dead are silent, and goes on",
    async () => {
      const [frozen] = nodes as [TestNode];
      process.kill(frozen.pid, "SIGSTOP");
      await wait(FROZEN_MS);
      process.kill(frozen.pid, "SIGCONT");
    },
  ],
  [
    "Postgres crashes while a node is killed",
    async () => {
      await Promise.all([services.postgres.kill(), nodes.at(-1)!.kill()]);
      await services.postgres.restart();
      nodes = [...nodes.slice(0, -1), await startNode()];
    },
  ],
  [
    "Redis forgets everything",
    async () => {
      await services.redis!.kill();
      await services.redis!.restart();
    },
  ],
];

async function replaceNode(): Promise<void> {
  const [killed, ...others] = nodes as [TestNode, ...TestNode[]];
  nodes = others;
  await killed.kill();
  nodes = [...nodes, await startNode()];
}

describe("chaos", () => {
  test("chaos of terminated sessions, killed and frozen nodes, a read-only and a crashing database loses, doubles and hastens nothing", async () => {
    const load = stage.load(nodes, {
      type: "order",
      perSecond: PER_SECOND,
      delayMs: [100, 6_000],
      payload: { effect: true, holdMs: 50 },
      cancelEvery: 10,
    });
    await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(PER_SECOND));
    for (const [, happens] of DISASTERS) {
      await happens();
      load.turnTo(nodes);
      await wait(PAUSE_MS);
    }
    const acknowledged = await load.stop();
    await eventually(() => expectOneView(nodes));
    await quiet(nodes[0]!);

    const evidence = await gatherEvidence(acknowledged, { ledger, client: nodes[0]!.client });
    const again = evidence.starts.length - new Set(evidence.starts.map(({ taskId }) => taskId)).size;
    const { refusals, unanswered } = load;
    printFigures("chaos", {
      tasks: acknowledged.length,
      refused: refusals.length,
      unanswered,
      again,
      latenessMs: latenessOf(evidence.starts),
    });
    expect(acknowledged.length).toBeGreaterThan(10 * PER_SECOND);
    requirePromises(invariantsOf(evidence));
  });
});
