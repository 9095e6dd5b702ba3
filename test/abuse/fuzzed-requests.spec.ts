import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { hashApiKey } from "@tickwheel/api";
import fc from "fast-check";
import { Client } from "pg";
import { newTestKey, type TestNode, TestStage } from "../support/cluster.js";
import { type MeasuredTime, printFigures, tellTimes } from "../support/figures.js";
import { type FuzzedRequest, fuzzedRequests } from "../support/fuzzed-request.js";
import { type Turn, TurnWatch } from "../support/attacks/turn-watch.js";

const SEEDS = [1, 2, 3, 4];
/** The requests of all seeds together. `FUZZED_REQUESTS=100000` sends more. */
const REQUESTS = Number(process.env.FUZZED_REQUESTS ?? 10_000);
const WARM_UP = 3_000;
const AT_ONCE = 8;
const LONGEST_REFUSAL = 64 * 1024;
/**
 * The most CPU time of the main thread between two rounds of its loop, without the garbage collector; and the time
 * between two looks.
 */
const TURN_LIMIT_MS = 20;
const LOOK_MS = 2;

const stage = new TestStage();
const watch = new TurnWatch();
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
let node: TestNode;
let authorizations: (string | undefined)[];
let ids: string[];

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  node = await stage.scheduler({ databaseUrl, env: watch.env });
  const keys = await keysOf(databaseUrl);
  authorizations = [...keys.map((key) => `Bearer ${key}`), `Bearer ${newTestKey()}`, "Basic x", "Bearer", undefined];
  const inputs = Array.from({ length: 20 }, (_, index) => ({ type: "fuzz", delay: index < 10 ? "1h" : "0s" }));
  ids = (await node.client.scheduleMany(inputs)).map(({ id }) => id);
  // Code is compiled when it runs for the first few times; no request is to blame for that.
  await attack(0, WARM_UP);
});
afterAll(async () => {
  agent.destroy();
  await stage.stop();
  watch.stop();
});

/** Keys of each role and of another namespace; keys that may write come more often than the others. */
async function keysOf(databaseUrl: string): Promise<string[]> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  const keys: string[] = [];
  for (const [role, namespace] of [
    ["viewer", "default"],
    ["operator", "default"],
    ["operator", "other"],
  ]) {
    const key = newTestKey();
    await database.query("INSERT INTO tickwheel.api_key (hash, namespace, role) VALUES ($1, $2, $3)", [
      hashApiKey(key),
      namespace,
      role,
    ]);
    keys.push(key);
  }
  await database.end();
  return [...keys, ...keys.slice(1), stage.apiKey, stage.apiKey, stage.apiKey];
}

interface Answer {
  status: number | "cut off";
  length: number;
  text: string;
}

function send({ method, path, headers, body, missingBytes = 0 }: FuzzedRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const length = body === undefined ? {} : { "content-length": body.length + missingBytes };
    const cutOff = (): void => resolve({ status: "cut off", length: 0, text: "" });
    const { port } = new URL(node.url);
    const call = request({ host: "127.0.0.1", port, method, path, headers: { ...headers, ...length }, agent });
    call.on("error", cutOff).on("response", (response) => {
      let text = "";
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (text.length < LONGEST_REFUSAL) text += chunk.toString("latin1");
      });
      response.on("error", cutOff).on("end", () => resolve({ status: response.statusCode!, length: bytes, text }));
    });
    if (missingBytes === 0) return void call.end(body);
    call.write(body);
    setTimeout(() => call.destroy(), 20);
  });
}

/** What is wrong with an answer, whatever the request was; null: nothing. */
function faultOf({ status, length, text }: Answer): string | null {
  if (typeof status === "string") return null;
  if (status >= 500) return `answered ${status}: ${text.slice(0, 300)}`;
  if (text.includes('"code":"INTERNAL"')) return `an INTERNAL error: ${text.slice(0, 300)}`;
  return status >= 400 && length > LONGEST_REFUSAL ? `a refusal of ${length} bytes` : null;
}

interface Outcome {
  faults: string[];
  /** Answers by their status. */
  tally: Record<string, number>;
}

async function attack(seed: number, count: number): Promise<Outcome> {
  const outcome: Outcome = { faults: [], tally: {} };
  const queue = fc.sample(fuzzedRequests({ authorizations, ids }), { seed, numRuns: count }).values();
  const work = async (): Promise<void> => {
    for (const sample of queue) {
      const answer = await send(sample);
      outcome.tally[answer.status] = (outcome.tally[answer.status] ?? 0) + 1;
      const fault = faultOf(answer);
      const text = `${sample.method} ${sample.path} ${sample.body?.toString().slice(0, 500)}`;
      if (fault !== null) outcome.faults.push(`${text}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcome;
}

/**
 * Repeats something, at most three times, until no turn of the node's loop was too long. CPU time also grows when other
 * programs use the caches, but code that holds the loop by itself does so each time. Returns the longest turn of the
 * last try.
 */
async function longestTurnOf(work: () => Promise<unknown>): Promise<Turn> {
  let longest: Turn;
  let times = 0;
  do {
    await watch.look(node.pid);
    await work();
    longest = (await watch.look(node.pid))[0]!;
  } while (longest.workMs > TURN_LIMIT_MS + LOOK_MS && ++times < 3);
  return longest;
}

/** A look may cut a turn in two, so the bound has the time of one more look. */
function boundedTurn({ workMs }: Turn): MeasuredTime {
  return { ms: workMs, boundMs: TURN_LIMIT_MS + LOOK_MS };
}

test.each(SEEDS)("requests of seed %d get answers that blame the caller, and none holds the loop", async (seed) => {
  let outcome: Outcome | undefined;
  const longest = await longestTurnOf(async () => (outcome = await attack(seed, REQUESTS / SEEDS.length)));
  printFigures(`fuzz, seed ${seed}`, { tally: outcome!.tally, longest });
  expect(outcome!.faults.slice(0, 20)).toEqual([]);
  expect(node.endedByItself).toBe(false);
  tellTimes("fuzzed requests", { [`longest turn of the loop, seed ${seed}`]: boundedTurn(longest) });
});

const MERGE = { onConflict: "merge", merge: { n: "add", list: "append" } };

const BULKS: Readonly<Record<string, { count: number; payload: unknown; fields?: (index: number) => object }>> = {
  "ten thousand tasks, 15 MiB": { count: 10_000, payload: "x".repeat(1_500) },
  "two hundred tasks of 60 KB each": { count: 200, payload: "x".repeat(60_000) },
  "ten thousand tasks with keys of their own": { count: 10_000, payload: "x", fields: () => ({ key: randomUUID() }) },
  "ten thousand tasks with keys that are taken": {
    count: 10_000,
    payload: "x",
    fields: (index) => ({ key: `key ${index}`, onConflict: "refresh" }),
  },
  "ten thousand merges into one task, 14 MiB": {
    count: 10_000,
    payload: { n: 0.1, text: "x".repeat(1_300) },
    fields: () => ({ key: "one", ...MERGE }),
  },
  "two hundred merges of many numbers, 60 KB each": {
    count: 200,
    payload: { n: 0.1, numbers: Array.from({ length: 10_000 }, (_, index) => 10_000 + index) },
    fields: (index) => ({ key: `numbers ${index}`, ...MERGE }),
  },
};

test.each(Object.entries(BULKS))("a bulk of %s does not hold the loop", async (name, { count, payload, fields }) => {
  const send = async (): Promise<void> => {
    const tasks = Array.from({ length: count }, (_, index) => ({
      type: "fuzz",
      delay: "1h",
      payload,
      ...fields?.(index),
    }));
    expect((await node.client.post("/v1/tasks/bulk", { tasks })).status).toBe(200);
  };
  await send();
  const longest = await longestTurnOf(send);
  printFigures(`bulk of ${name}`, { longest });
  tellTimes(`a bulk of ${name}`, { "longest turn of the loop": boundedTurn(longest) });
});
