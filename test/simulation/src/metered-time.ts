import { EventCounts, type SchedulerNode } from "@tickwheel/engine";
import type { MetricReading } from "@tickwheel/core";
import { Callers } from "./requests.js";
import { plant } from "./faults.js";
import type { Behaviour, Plan, PlannedFault, PlannedRequest, PlannedTask } from "./plan.js";
import type { SimulatedProcess } from "./simulated-process.js";
import { World } from "./world.js";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Every node is read so often. */
export const SCRAPE_MS = 15 * SECOND_MS;
/** The cluster comes up before the first scrape. */
const UP_MS = 10 * SECOND_MS;
const NODES = 3;
const TASKS_OF_A_BULK = 6;

/** A node's metrics at one scrape; null: it did not answer. */
export interface Scrape {
  instance: string;
  readings: readonly MetricReading[] | null;
}

/** What goes wrong meanwhile. */
export interface Trouble {
  faults?: readonly PlannedFault[];
  /** What handlers do that start at this minute. Default: they take 20 ms and succeed. */
  behaviourAt?: (minute: number) => Partial<Behaviour>;
  /** Default: as many as a node has by default. */
  concurrency?: number;
}

/**
 * A cluster of three nodes with a steady load, on virtual time: its metrics as a Prometheus would scrape them, one list
 * of nodes for each scrape. A minute takes about a second.
 */
export async function meteredTime(trouble: Trouble, minutes: number): Promise<Scrape[][]> {
  const lastsMs = minutes * MINUTE_MS;
  const plan = planOf(trouble, lastsMs);
  const world = new World(plan);
  const counts = new Map<SimulatedProcess, EventCounts>();
  world.onEvent = (process, event) => {
    if (!counts.has(process)) counts.set(process, new EventCounts());
    counts.get(process)!.note(event);
  };
  const callers = new Callers(world);
  for (let place = 0; place < plan.nodes; place++) world.start(place);
  for (const request of plan.requests) callers.plant(request);
  for (const fault of plan.faults) plant(world, fault);
  await world.time.advance(UP_MS);
  const scrapes: Scrape[][] = [];
  for (let atMs = 0; atMs < lastsMs; atMs += SCRAPE_MS) {
    scrapes.push(await scrapeAll(world, counts));
    await world.time.advance(SCRAPE_MS);
  }
  return scrapes;
}

async function scrapeAll({ processes, time }: World, counts: Map<SimulatedProcess, EventCounts>): Promise<Scrape[]> {
  const scrapes: Scrape[] = [];
  for (const process of processes) {
    const instance = process.label;
    const isUp = !process.isOver && process.clock.state === "running";
    const readings = isUp ? await readingsOf(process.node, time) : null;
    scrapes.push({ instance, readings: readings && [...readings, ...(counts.get(process)?.read() ?? [])] });
  }
  return scrapes;
}

/** Null: it does not answer within a scrape's time-out. */
async function readingsOf(node: SchedulerNode, time: World["time"]): Promise<readonly MetricReading[] | null> {
  let readings: readonly MetricReading[] | null = null;
  const asked = node.metrics().then((answer) => (readings = answer));
  await time.runUntil(() => readings !== null, 2 * SECOND_MS);
  asked.catch(() => undefined);
  return readings;
}

function planOf({ faults = [], behaviourAt = () => ({}), concurrency }: Trouble, lastsMs: number): Plan {
  const requests: PlannedRequest[] = [];
  for (let bulk = 0; bulk * SCRAPE_MS < lastsMs; bulk++) {
    const atMs = UP_MS + bulk * SCRAPE_MS;
    const behaviour = behaviourAt(Math.floor(atMs / MINUTE_MS));
    const tasks = Array.from({ length: TASKS_OF_A_BULK }, (_, place) => task(`${bulk}.${place}`, place, behaviour));
    requests.push({ atMs, node: bulk, action: { kind: "create-many", tasks } });
  }
  return {
    seed: 1,
    nodes: NODES,
    options: concurrency === undefined ? {} : { concurrency },
    coordination: "redis",
    clockRates: [1, 1, 1],
    requests,
    faults,
    quietAtMs: lastsMs,
  };
}

function task(ref: string, place: number, behaviour: Partial<Behaviour>): PlannedTask {
  return {
    ref,
    delayMs: 2_000 * (place + 1),
    key: null,
    onConflict: "reject",
    idempotencyKey: null,
    maxAttempts: 3,
    timeoutMs: 60_000,
    retryDelayMs: 1_000,
    priority: 5,
    startDeadlineMs: null,
    behaviour: { kind: "plain", workMs: 20, fails: null, times: 0, ...behaviour },
  };
}
