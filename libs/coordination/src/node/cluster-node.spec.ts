import { afterEach, describe, expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS, SLOT_COUNT, type TelemetryEvent } from "@tickwheel/core";
import {
  ManualClock,
  MemoryBus,
  MemoryClusterStore,
  type MemoryConnection,
  type MemoryCoordination,
  MemoryDatabase,
  RecordingTelemetry,
  SeededRandom,
} from "@tickwheel/testing";
import { ClusterNode } from "./cluster-node.js";

/** One node of a simulated cluster, and what it was notified of. */
class Process {
  readonly telemetry = new RecordingTelemetry();
  readonly connection: MemoryConnection;
  readonly coordination: MemoryCoordination;
  readonly node: ClusterNode;

  constructor(
    readonly cluster: Cluster,
    readonly label: string,
    typeIds: readonly number[],
  ) {
    this.connection = cluster.database.connect(label);
    this.coordination = cluster.bus.attach();
    const { coordination, telemetry } = this;
    const { clock } = cluster;
    const store = new MemoryClusterStore(this.connection);
    const random = new SeededRandom(cluster.seed + cluster.processes.length);
    this.node = new ClusterNode(
      { clock, random, store, coordination, telemetry },
      { label, version: "1.0.0", roles: ["engine"], typeIds, options: DEFAULT_OPTIONS },
    );
  }

  get viewLabels(): string[] {
    return this.node
      .ownership()
      .nodes.map((node) => node.label)
      .sort();
  }
}

class Cluster {
  readonly clock = new ManualClock();
  readonly database = new MemoryDatabase({ clock: this.clock });
  readonly processes: Process[] = [];
  readonly bus: MemoryBus;
  readonly seed = 7;

  constructor(kind: "redis" | "postgres" = "redis") {
    this.bus = new MemoryBus({ clock: this.clock, kind });
  }

  add(count: number, typeIds: readonly number[] = [1]): Process[] {
    const added = Array.from({ length: count }, () => {
      const process = new Process(this, `10.0.0.1:${this.processes.length + 1}`, typeIds);
      this.processes.push(process);
      return process;
    });
    for (const { node } of added) void node.start();
    return added;
  }

  /** Adds nodes and lets them settle. */
  async up(count: number): Promise<Process[]> {
    const added = this.add(count);
    expect(await this.until(() => this.agree(added), 5_000)).toBe(true);
    return added;
  }

  /** Whether all of these know one view that holds exactly them. */
  agree(processes: readonly Process[]): boolean {
    const labels = processes.map((process) => process.label).sort();
    return processes.every((process) => process.viewLabels.join() === labels.join());
  }

  leaders(): Process[] {
    return this.processes.filter((process) => process.node.leadership() !== null);
  }

  leader(): Process {
    const [leader, ...more] = this.leaders();
    expect(more).toEqual([]);
    return leader!;
  }

  stateOf(bootId: string | null): string | undefined {
    return this.database.cluster.nodes.get(bootId ?? "")?.state;
  }

  until(condition: () => boolean, withinMs: number): Promise<boolean> {
    return this.clock.runUntil(condition, withinMs);
  }

  /** How long it took until the condition held. */
  async msUntil(condition: () => boolean, withinMs = 60_000): Promise<number> {
    const startMs = this.clock.monotonicMs();
    expect(await this.until(condition, withinMs)).toBe(true);
    return this.clock.monotonicMs() - startMs;
  }
}

let cluster: Cluster;

afterEach(async () => {
  const living = cluster.processes;
  for (const { node } of living) void node.stop();
  await cluster.clock.advance(10_000);
});

function others(processes: readonly Process[], but: Process): Process[] {
  return processes.filter((process) => process !== but);
}

describe("a cluster that starts", () => {
  test.each(["redis", "postgres"] as const)(
    "three nodes that start have one leader and one view (%s)",
    async (kind) => {
      cluster = new Cluster(kind);
      const nodes = await cluster.up(3);
      await cluster.clock.advance(30_000);
      expect(cluster.leaders()).toHaveLength(1);
      expect(cluster.database.cluster.term.term).toBe(1);
      expect(cluster.agree(nodes)).toBe(true);
      const owned = nodes.map(({ node }) => node.ownership().mine(1).size);
      expect(owned.reduce((sum, size) => sum + size)).toBe(SLOT_COUNT);
      expect(nodes.every(({ node }) => node.canDispatch())).toBe(true);
      const isTrouble = ({ level }: TelemetryEvent): boolean => level === "warn" || level === "error";
      expect(nodes.flatMap(({ telemetry }) => telemetry.events).filter(isTrouble)).toEqual([]);
    },
  );

  test("ten nodes that start at the same instant form one view of ten with one leader", async () => {
    cluster = new Cluster();
    const nodes = cluster.add(10);
    expect(await cluster.msUntil(() => cluster.agree(nodes))).toBeLessThan(2_000);
    await cluster.clock.advance(10_000);
    expect(cluster.leaders()).toHaveLength(1);
    expect(cluster.database.cluster.term.term).toBe(1);
    expect(cluster.agree(nodes)).toBe(true);
  });

  test("a node that joins later and one that learns a new type are in the view within a second or so", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(2);
    const [late] = cluster.add(1, [2]) as [Process];
    expect(await cluster.msUntil(() => cluster.agree([...nodes, late]))).toBeLessThan(1_500);
    expect(nodes[0]!.node.ownership().mine(2).size).toBe(0);
    await nodes[0]!.node.updateTypes([1, 2]);
    expect(await cluster.msUntil(() => late.node.ownership().mine(2).size < SLOT_COUNT)).toBeLessThan(1_500);
    expect(nodes[0]!.node.ownership().mine(2).size).toBeGreaterThan(0);
  });

  test("types that a node could not write are written later", async () => {
    cluster = new Cluster();
    const [one, two] = (await cluster.up(2)) as [Process, Process];
    one.connection.failNext("updateTypes", 2);
    await one.node.updateTypes([1, 2]);
    expect(await cluster.msUntil(() => two.node.ownership().ownerOf(2, 0) === one.node.bootId)).toBeLessThan(5_000);
  });
});

describe("what a node learns", () => {
  test("a new view arrives at a node at once by a message", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3);
    cluster.add(1);
    await cluster.msUntil(() => cluster.database.cluster.view?.nodes.length === 4);
    const knowing = (): number => nodes.filter(({ node }) => node.ownership().nodes.length === 4).length;
    expect(await cluster.msUntil(() => knowing() === 3)).toBeLessThan(50);
  });

  test("a new view arrives at a node within a second without messages", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3);
    cluster.bus.lose = () => true;
    cluster.add(1);
    await cluster.msUntil(() => cluster.database.cluster.view?.nodes.length === 4);
    const knowing = (): number => nodes.filter(({ node }) => node.ownership().nodes.length === 4).length;
    expect(knowing()).toBe(1);
    expect(await cluster.msUntil(() => knowing() === 3)).toBeLessThanOrEqual(1_000);
  });

  test("messages of any kind reach a node", async () => {
    cluster = new Cluster();
    const [one, two] = (await cluster.up(2)) as [Process, Process];
    const heard: string[] = [];
    const stop = one.node.listen({ received: (message) => heard.push(message.kind) });
    await two.coordination.send(one.node.bootId!, { kind: "load" });
    await cluster.clock.settle();
    stop();
    await two.coordination.send(one.node.bootId!, { kind: "load" });
    await cluster.clock.settle();
    expect(heard).toEqual(["load"]);
  });

  test("a node owns nothing under a new boot id until a view names it", async () => {
    cluster = new Cluster();
    const [one] = (await cluster.up(2)) as [Process];
    const owned: number[] = [];
    one.node.listen({ joined: () => owned.push(one.node.ownership().ownedSlots().size) });
    expect(one.node.ownership().ownedSlots().size).toBeGreaterThan(0);
    cluster.database.cluster.forgetBeats([one.node.bootId!]);
    expect(await cluster.until(() => owned.length > 0, 3_000)).toBe(true);
    expect(owned).toEqual([0]);
  });

  test("a beat counts from when it was sent, however late its answer", async () => {
    cluster = new Cluster();
    const [node] = (await cluster.up(1)) as [Process];
    const sent: number[] = [];
    let isCutOff = false;
    node.connection.gate = ({ statement, phase }) => {
      if (statement !== "beat") return;
      if (phase === "before" && !isCutOff) sent.push(cluster.clock.monotonicMs());
      if (phase === "before" && isCutOff) throw new Error("connection refused");
      if (phase === "after") return new Promise((resolve) => cluster.clock.setTimer(900, resolve));
    };
    await cluster.clock.advance(5_950);
    isCutOff = true;
    await cluster.msUntil(() => !node.node.canDispatch());
    expect(cluster.clock.monotonicMs() - sent.at(-1)!).toBeLessThanOrEqual(5_250);
  });
});

describe("a database that cannot write for 20 s but can read", () => {
  test("no node is declared dead when writes succeed again after 20 s in which the database could only be read", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3);
    const leader = cluster.leader();
    const before = nodes.map(({ node }) => node.bootId);
    for (const { connection } of nodes) {
      connection.gate = ({ statement }) => {
        if (!statement.startsWith("read")) throw new Error("cannot execute in a read-only transaction");
      };
    }
    await cluster.clock.advance(20_000);
    // The leader's writes get through first: it must not judge the others by the time before.
    leader.connection.gate = null;
    await cluster.clock.advance(1_500);
    for (const { connection } of nodes) connection.gate = null;
    await cluster.clock.advance(10_000);
    expect(nodes.map(({ node }) => node.bootId)).toEqual(before);
    expect(cluster.agree(nodes)).toBe(true);
    expect(nodes.every(({ node }) => node.canDispatch())).toBe(true);
  });
});

describe("a node that leaves", () => {
  test("a node that leaves asks to be left out, claims until a view without it is a second old, then drains and leaves", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3);
    const going = others(nodes, cluster.leader())[0]!;
    const rest = others(nodes, going);
    const { bootId } = going.node;
    let isAnnounced = false;
    void going.node.announceLeaving().then(() => (isAnnounced = true));
    expect(going.node.canDispatch()).toBe(true);
    const outOfViewMs = await cluster.msUntil(() => cluster.agree(rest));
    expect(outOfViewMs).toBeLessThan(1_600);
    expect([isAnnounced, going.node.canDispatch()]).toEqual([false, true]);
    const settledMs = await cluster.msUntil(() => isAnnounced);
    expect(settledMs).toBeGreaterThan(900);
    expect(outOfViewMs + settledMs).toBeLessThanOrEqual(3_050);
    const draining = going.node.startDraining();
    expect(going.node.canDispatch()).toBe(false);
    expect(await draining).toBe(true);
    expect((await rest[0]!.node.status()).nodes.find((node) => node.bootId === bootId)?.state).toBe("draining");
    await cluster.clock.advance(10_000);
    expect(cluster.stateOf(bootId)).toBe("draining");
    await going.node.stop();
    expect(cluster.stateOf(bootId) ?? "dead").toBe("dead");
    expect(cluster.bus.announced().has(going.label)).toBe(false);
    expect(going.node.bootId).toBeNull();
  });

  test("a leader that leaves publishes the view without itself, and gives the term up when all know: no successor adds it again", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3);
    const going = cluster.leader();
    const rest = others(nodes, going);
    void going.node.announceLeaving();
    await cluster.clock.settle();
    const view = cluster.database.cluster.view;
    expect(view?.nodes).toHaveLength(2);
    expect(await cluster.until(() => rest.some(({ node }) => node.leadership() !== null), 3_000)).toBe(true);
    await cluster.clock.advance(2_000);
    expect(cluster.database.cluster.view).toEqual(view);
    expect(going.node.leadership()).toBeNull();
    await cluster.clock.advance(5_000);
    expect(cluster.agree(rest)).toBe(true);
  });

  test("a node that leaves waits for nothing if it is the last one", async () => {
    cluster = new Cluster();
    const [only] = (await cluster.up(1)) as [Process];
    let isAnnounced = false;
    void only.node.announceLeaving().then(() => (isAnnounced = true));
    expect(await cluster.until(() => isAnnounced, 100)).toBe(true);
  });

  test("a node that leaves waits three seconds without Postgres, then leaves", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(2);
    const going = others(nodes, cluster.leader())[0]!;
    going.connection.disconnect();
    let isGone = false;
    const leave = async (): Promise<void> => {
      await going.node.announceLeaving();
      await going.node.startDraining();
      await going.node.stop();
      isGone = true;
    };
    void leave();
    const tookMs = await cluster.msUntil(() => isGone);
    expect(tookMs).toBeLessThanOrEqual(3_100);
  });
});

describe("starting and stopping", () => {
  test("a node's start waits for the store, and a stop ends it", async () => {
    cluster = new Cluster();
    const [node] = cluster.add(1) as [Process];
    node.connection.disconnect();
    let isStarted = false;
    let isStopped = false;
    void node.node.start().then(() => (isStarted = true));
    await cluster.clock.advance(10_000);
    expect(isStarted).toBe(false);
    expect((await node.node.status()).nodes.map((seen) => seen.state)).toEqual(["joining"]);
    node.connection.connect();
    expect(await cluster.until(() => isStarted, 1_500)).toBe(true);
    node.connection.disconnect();
    void node.node.stop().then(() => (isStopped = true));
    expect(await cluster.until(() => isStopped, 1_000)).toBe(true);
  });

  test("a stop during a node's join removes what was joined, and the node can be started again", async () => {
    cluster = new Cluster();
    const process = new Process(cluster, "10.0.0.1:1", [1]);
    cluster.processes.push(process);
    const started = process.node.start();
    const stopped = Promise.all([process.node.stop(), process.node.stop()]);
    await cluster.clock.advance(100);
    await Promise.all([started, stopped]);
    expect([...cluster.database.cluster.nodes.values()].filter((node) => node.state !== "dead")).toEqual([]);
    expect([process.node.bootId, process.node.canDispatch()]).toEqual([null, false]);
    await process.node.stop();
    void process.node.start();
    expect(await cluster.until(() => process.node.leadership() !== null, 2_000)).toBe(true);
    expect(process.node.canDispatch()).toBe(true);
  });

  test("nothing of a node is left running after a stop", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3);
    for (const { node } of nodes) void node.stop();
    await cluster.clock.advance(5_000);
    expect(cluster.clock.pendingTimers).toBe(0);
    expect(cluster.database.cluster.beats.size).toBe(0);
  });
});
