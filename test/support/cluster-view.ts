import { expect } from "@jest/globals";
import { SLOT_COUNT, SlotSet } from "@tickwheel/core";
import { Redis } from "ioredis";
import type { ClusterBody } from "./api-client.js";
import type { TestNode } from "./cluster.js";
import { eventually } from "./eventually.js";

/** A node's line in a cluster report, by its pid: all nodes of a test share one address. */
export function lineOf(report: ClusterBody, pid: number): ClusterBody["nodes"][number] | undefined {
  return report.nodes.find((line) => pidOf(line) === String(pid));
}

/** The pid in a line's `ip:pid`, as text. */
export function pidOf({ label }: { label: string }): string {
  return label.slice(label.lastIndexOf(":") + 1);
}

/** The node that leads, and its term. */
export async function leaderAmong(nodes: readonly TestNode[]): Promise<{ leader: TestNode; term: number }> {
  const { leader } = await nodes[0]!.client.cluster();
  const node = nodes.find(({ pid }) => leader?.node.endsWith(`:${pid}`));
  if (!leader || !node) throw new Error(`none of the nodes leads: ${JSON.stringify(leader)}`);
  return { leader: node, term: leader.term };
}

/**
 * Asserts that every one of these nodes, which run the same types, sees the same cluster: exactly them, live, one
 * leader, every slot owned once.
 */
export async function expectOneView(nodes: readonly TestNode[]): Promise<ClusterBody[]> {
  const reports = await expectSameView(nodes);
  for (const report of reports) {
    const live = report.nodes.filter(({ state }) => state === "live");
    expect(live.reduce((sum, { ownedSlots }) => sum + ownedSlots, 0)).toBe(SLOT_COUNT);
  }
  return reports;
}

/** The same of nodes that run different types: a node that is alone with a type owns all slots of it. */
export async function expectSameView(nodes: readonly TestNode[]): Promise<ClusterBody[]> {
  const reports = await Promise.all(nodes.map(({ client }) => client.cluster()));
  const pids = nodes.map(({ pid }) => String(pid)).sort();
  for (const report of reports) {
    const live = report.nodes.filter(({ state }) => state === "live");
    expect(live.map(pidOf).sort()).toEqual(pids);
  }
  expect(new Set(reports.map(({ view }) => view)).size).toBe(1);
  expect(new Set(reports.map(({ leader }) => `${leader?.bootId} ${leader?.term}`)).size).toBe(1);
  return reports;
}

interface TaskPage {
  items: object[];
  /** Not all of them have been checked. */
  incomplete?: true;
}

/** Waits until all tasks that are due have come to their end. */
export async function quiet({ client }: TestNode): Promise<void> {
  await eventually(async () => {
    const { status, body } = await client.get<TaskPage>("/v1/tasks?state=scheduled,running&limit=3");
    const { items: unfinished, incomplete = false } = body;
    expect({ status, unfinished, incomplete }).toEqual({ status: 200, unfinished: [], incomplete: false });
  });
}

/** The keys that nodes keep in Redis. */
export class NodeKeys {
  readonly #redis: Redis;

  constructor(redisUrl: string) {
    this.#redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
    // While Redis is down on purpose.
    this.#redis.on("error", () => {});
  }

  /** All keys of one kind: label → remaining life in milliseconds. */
  async lives(kind: "node" | "owned"): Promise<Map<string, number>> {
    const keys = await this.#redis.keys(`tickwheel:*:${kind}:*`);
    const lives = await Promise.all(keys.map((key) => this.#redis.pttl(key)));
    return new Map(keys.map((key, index) => [key.slice(key.indexOf(`:${kind}:`) + kind.length + 2), lives[index]!]));
  }

  /** Labels that have a key of this kind. */
  async labels(kind: "node" | "owned"): Promise<string[]> {
    return [...(await this.lives(kind)).keys()].sort();
  }

  /** The slots of the node with this pid: its key reads like `0-12,40`. */
  async ownedBy(pid: number): Promise<SlotSet> {
    const [key] = await this.#redis.keys(`tickwheel:*:owned:*:${pid}`);
    const ranges = key === undefined ? null : await this.#redis.get(key);
    if (ranges === null) throw new Error(`no owned slots of pid ${pid} in Redis`);
    const slots = new SlotSet();
    for (const range of ranges.split(",").filter(Boolean)) {
      const [first, last = first] = range.split("-").map(Number) as [number, number?];
      for (let slot = first; slot <= last!; slot++) slots.add(slot);
    }
    return slots;
  }

  stop(): void {
    this.#redis.disconnect();
  }
}
