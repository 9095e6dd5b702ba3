import { setTimeout as wait } from "node:timers/promises";
import { BENCH_API_KEY } from "../contestants/contestant.js";
import type { ContestantProcess } from "../contestants/contestant-process.js";
import { monoMs } from "../contestants/host-clock.js";
import { type Answer, HttpConnection } from "../http-load.js";
import type { Job } from "../job.js";
import { sampleOf } from "../sample.js";
import { cpuFigures, cpuSince, type Stage } from "../stage.js";
import { latenessOf } from "../verdict.js";

const TYPE = "bench.pull";
const TASKS = 30_000;
/** Fetched before it is measured: the nodes have compiled their code by then. */
const WARM_UP = 10_000;
const NODES = 3;
const CONSUMERS = 10;
/** What a consumer asks for at once, and completes at a time. */
const AT_ONCE = 50;
const BULK = 1_000;
const HEADERS = { authorization: `Bearer ${BENCH_API_KEY}` };
/** Before the idle polls are measured. */
const SETTLE_MS = 20_000;
/** How many connections are opened at a time: more do not fit into a server's backlog. */
const BACKLOG = 200;

interface ClaimBody {
  token: string;
  task: { id: string; dueAt: string };
}

export const pull: Job = {
  name: "pull",
  summary: "tasks that consumers fetch over HTTP, and what it costs to wait for them",
  explains: `ours, three nodes with REST, and consumers that fetch tasks from each of them:
  perSecond               tasks that ten consumers fetch from the three and complete, each by a call of its own, of 30,000
  lateness                from due to the consumer's answer, of single tasks that are made on one node while one idle
                          consumer polls another; each is due 100 ms after it was made
  idleCpuPercent          what --pending calls that wait for tasks of one type on one node cost: of one core, all
                          processes, beyond what they use without these calls (withoutWaitersCpuPercent)
  bytesPerWaiter          by which that node's memory grew for each
A task that was fetched twice, or before its time, is told.`,
  peers: ["tickwheel"],
  defaults: { pending: 10_000 },
  quick: { pending: 100 },
  async measure(stage, { pending, isQuick }) {
    const tasks = isQuick ? 500 : TASKS;
    const nodes: ContestantProcess[] = [];
    for (let n = 0; n < NODES; n++) nodes.push(await stage.enter({ serves: true }));
    const ports = await Promise.all(nodes.map(async (node) => (await node.ask("inspect")).port ?? 0));
    await createAll(ports[0]!, 1, { deliver: { kind: "pull" } });
    const late = await lateness(stage, ports, isQuick ? 20 : 500);
    const warmUp = isQuick ? 0 : WARM_UP;
    await createAll(ports[0]!, warmUp, {});
    await consumeAll(ports, warmUp);
    await createAll(ports[0]!, tasks, {});
    const before = stage.cpu();
    const startMonoMs = monoMs();
    const fetched = await consumeAll(ports, tasks);
    const elapsedMs = monoMs() - startMonoMs;
    const cpu = cpuSince(before, stage.cpu());
    const idle = await idlePolls(stage, {
      node: nodes[1]!,
      port: ports[1]!,
      count: pending,
      forMs: isQuick ? 500 : 10_000,
    });
    return sampleOf({
      perSecond: (tasks / elapsedMs) * 1_000,
      latenessMs: latenessOf(Float64Array.from(late).sort()),
      early: late.filter((ms) => ms < 0).length,
      duplicates: [...fetched.values()].filter((times) => times > 1).length,
      cpuSeconds: cpu.all,
      figures: { tasks, ...cpuFigures(cpu, tasks), ...idle },
    });
  },
};

/** By `fetch`: the answers come in chunks, which {@link HttpConnection} does not read. */
async function createAll(port: number, count: number, more: object): Promise<void> {
  for (let made = 0; made < count; made += BULK) {
    const tasks = Array.from({ length: Math.min(BULK, count - made) }, () => ({ type: TYPE, ...more }));
    const headers = { ...HEADERS, "content-type": "application/json" };
    const body = JSON.stringify({ tasks });
    const answer = await fetch(`http://127.0.0.1:${port}/v1/tasks/bulk`, { method: "POST", headers, body });
    good({ status: answer.status, text: await answer.text() });
  }
}

/** The lateness of single tasks, in milliseconds: the first one is the one that has made the type. */
async function lateness(stage: Stage, [creator = 0, server = 0]: readonly number[], count: number): Promise<number[]> {
  const maker = new HttpConnection(creator, HEADERS);
  const consumer = new HttpConnection(server, HEADERS);
  const late: number[] = [];
  for (let n = 0; n <= count; n++) {
    const polling = consumer.post(`/v1/queues/${TYPE}/claims`, JSON.stringify({ waitMs: 60_000 }));
    if (n > 0) good(await maker.post("/v1/tasks", JSON.stringify({ type: TYPE, delay: 100 })));
    const [claim] = claimsOf(await polling);
    if (n > 0) late.push(stage.clock.now() - Date.parse(claim!.task.dueAt));
    good(await consumer.post(`/v1/claims/${claim!.token}/complete`, "{}"));
  }
  maker.close();
  consumer.close();
  return late;
}

/** Has ten consumers fetch so many tasks, and tells how often each was fetched, by its id. */
async function consumeAll(ports: readonly number[], count: number): Promise<Map<string, number>> {
  const fetched = new Map<string, number>();
  let left = count;
  const isOver = (): boolean => left <= 0;
  const done = (id: string): void => {
    fetched.set(id, (fetched.get(id) ?? 0) + 1);
    left--;
  };
  await Promise.all(Array.from({ length: CONSUMERS }, (_, n) => consume(ports[n % NODES]!, { isOver, done })));
  return fetched;
}

interface Work {
  isOver: () => boolean;
  done: (id: string) => void;
}

/** Fetches tasks and completes them, several at a time, until there are none left. */
async function consume(port: number, { isOver, done }: Work): Promise<void> {
  const fetching = new HttpConnection(port, HEADERS);
  const ending = Array.from({ length: AT_ONCE }, () => new HttpConnection(port, HEADERS));
  while (!isOver()) {
    const asked = JSON.stringify({ max: AT_ONCE, waitMs: 200 });
    const claims = claimsOf(await fetching.post(`/v1/queues/${TYPE}/claims`, asked)).values();
    await Promise.all(
      ending.map(async (connection) => {
        for (const { token, task } of claims) {
          good(await connection.post(`/v1/claims/${token}/complete`, "{}"));
          done(task.id);
        }
      }),
    );
  }
  for (const connection of [fetching, ...ending]) connection.close();
}

/** What it costs while so many calls wait for tasks. */
async function idlePolls(
  stage: Stage,
  { node, port, count, forMs }: { node: ContestantProcess; port: number; count: number; forMs: number },
): Promise<Record<string, number>> {
  const bytes = async (): Promise<number> => (await node.ask("inspect")).rssBytes ?? 0;
  const bytesBefore = await bytes();
  const withoutPercent = await cpuPercent(stage, forMs);
  const connections: HttpConnection[] = [];
  const polls: Promise<unknown>[] = [];
  const asked = JSON.stringify({ waitMs: 60_000 });
  while (connections.length < count) {
    const connection = new HttpConnection(port, HEADERS);
    connections.push(connection);
    polls.push(connection.post(`/v1/queues/${TYPE}/claims`, asked).catch(() => null));
    if (connections.length % BACKLOG === 0) await wait(100);
  }
  await wait(SETTLE_MS);
  const withPercent = await cpuPercent(stage, forMs);
  const grown = (await bytes()) - bytesBefore;
  for (const connection of connections) connection.close();
  await Promise.all(polls);
  return {
    waiters: count,
    idleCpuPercent: withPercent - withoutPercent,
    withoutWaitersCpuPercent: withoutPercent,
    bytesPerWaiter: grown / count,
  };
}

/** What all processes use of one core, in percent. */
async function cpuPercent(stage: Stage, forMs: number): Promise<number> {
  const before = stage.cpu();
  const startMonoMs = monoMs();
  await wait(forMs);
  return ((cpuSince(before, stage.cpu()).all * 1_000) / (monoMs() - startMonoMs)) * 100;
}

function good({ status, text }: Answer): string {
  if (status >= 300) throw new Error(`HTTP ${status}: ${text.slice(0, 500)}`);
  return text;
}

function claimsOf(answer: Answer): ClaimBody[] {
  return (JSON.parse(good(answer)) as { claims: ClaimBody[] }).claims;
}
