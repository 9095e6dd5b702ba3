import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  answerWithoutEnd,
  ENDLESS_ANSWERS,
  type EndlessAnswer,
} from "../../libs/executors/test-support/endless-answers.js";
import type { TaskBody } from "../support/api-client.js";
import { expectUnharmed } from "../support/attacks/honest-load.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { summaryOf } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";

const TASKS = 8;
const ATTACKS = ["informational answers", "chunks with extensions"];
const stage = new TestStage();
const connections = new Set<Socket>();
/** One for each attack: what one does to a host's breaker must not hold back another. */
const hosts = new Map<string, Server>();
let sentBytes = 0;
let ledger: Ledger;
let node: TestNode;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  for (const name of ATTACKS) {
    const host = createServer((connection) => answer(connection, ENDLESS_ANSWERS[name]!)).listen(0, "127.0.0.1");
    await once(host, "listening");
    hosts.set(name, host);
  }
  const webhookAllowedHosts = ATTACKS.map(addressOf);
  node = await stage.app({ databaseUrl, types: ["order"], module: { webhookAllowedHosts } });
});
afterEach(() => stage.endLoads());
afterAll(async () => {
  for (const connection of connections) connection.destroy();
  for (const host of hosts.values()) host.close();
  await stage.stop();
});

function addressOf(name: string): string {
  return `127.0.0.1:${(hosts.get(name)!.address() as AddressInfo).port}`;
}

function answer(connection: Socket, endless: EndlessAnswer): void {
  connections.add(connection);
  connection.on("error", () => undefined);
  connection.once("data", () => answerWithoutEnd(connection, endless, (count) => (sentBytes += count)));
}

async function deliver(name: string): Promise<TaskBody[]> {
  const deliveries = Array.from({ length: TASKS }, () => ({
    type: "hook",
    deliver: { kind: "webhook", url: `http://${addressOf(name)}/` },
    maxAttempts: 1,
    timeout: "5s",
  }));
  const { body } = await node.client.post("/v1/tasks/bulk", { tasks: deliveries });
  return (body as { results: { task: TaskBody }[] }).results.map(({ task }) => task);
}

/** What the tasks ended with, once they have: a breaker may hold some back, and so one is enough. */
async function faultOf(tasks: readonly TaskBody[]): Promise<string> {
  return eventually(async () => {
    const answers = await Promise.all(tasks.map(({ id }) => node.client.get<TaskBody>(`/v1/tasks/${id}`)));
    const dead = answers.find(({ body }) => body.state === "dead");
    if (!dead) throw new Error("no delivery has ended yet");
    return dead.body.lastError ?? "";
  });
}

test.each(ATTACKS)(
  "hosts that answer with %s without an end harm nobody else, and the attempt says what is wrong",
  async (name) => {
    const load = stage.load([node], {
      type: "order",
      perSecond: 50,
      delayMs: [0, 500] as const,
      payload: { effect: true },
    });
    await sleep(1_000);
    const aloneMs = summaryOf(load.createMs.splice(0));
    sentBytes = 0;
    const tasks = await deliver(name);
    await sleep(2_500);
    const figures = {
      tasks: TASKS,
      sentMib: Math.round(sentBytes / 1_048_576),
      aloneMs,
      besideMs: summaryOf(load.createMs),
    };
    const fault = await faultOf(tasks);
    for (const { id } of tasks) await node.client.post(`/v1/tasks/${id}/cancel`, {});
    await expectUnharmed({ load, node, ledger }, { name: `endless ${name}`, figures });
    expect(fault).toMatch(ENDLESS_ANSWERS[name]!.fault);
  },
);
