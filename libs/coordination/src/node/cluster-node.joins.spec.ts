import { afterEach, describe, expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS } from "@tickwheel/core";
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
import { LoopHeartbeat } from "../beats/loop-heartbeat.js";

/** One node, and what it was notified of. */
class Process {
  readonly label: string;
  readonly telemetry = new RecordingTelemetry();
  readonly connection: MemoryConnection;
  readonly coordination: MemoryCoordination;
  readonly heartbeat: LoopHeartbeat;
  readonly node: ClusterNode;

  constructor({ clock, database, bus, processes }: Cluster) {
    const label = (this.label = `10.0.0.1:${processes.length + 1}`);
    this.connection = database.connect(label);
    this.coordination = bus.attach();
    const { coordination, telemetry } = this;
    const store = new MemoryClusterStore(this.connection);
    const heartbeat = (this.heartbeat = new LoopHeartbeat({ clock, store, coordination, telemetry }, DEFAULT_OPTIONS));
    const random = new SeededRandom(7 + processes.length);
    this.node = new ClusterNode(
      { clock, random, store, coordination, telemetry, heartbeat },
      { label, version: "1.0.0", roles: ["engine"], typeIds: [1], options: DEFAULT_OPTIONS },
    );
    processes.push(this);
  }

  get viewLabels(): string[] {
    return this.node.ownership().nodes.map(({ label }) => label);
  }
}

class Cluster {
  readonly clock = new ManualClock();
  readonly database = new MemoryDatabase({ clock: this.clock });
  readonly bus = new MemoryBus({ clock: this.clock });
  readonly processes: Process[] = [];

  /** A node that joins. */
  add(): Process {
    const process = new Process(this);
    void process.node.start();
    return process;
  }

  /** A node that is the only one in the view. */
  async up(): Promise<Process> {
    const process = this.add();
    expect(await this.until(() => process.viewLabels.length === 1, 5_000)).toBe(true);
    return process;
  }

  until(condition: () => boolean, withinMs: number): Promise<boolean> {
    return this.clock.runUntil(condition, withinMs);
  }
}

let cluster: Cluster;

/** Acts like a leader that holds it for dead. */
async function bury(bootId: string): Promise<void> {
  await new MemoryClusterStore(cluster.database.connect("undertaker")).leave(bootId);
}

afterEach(async () => {
  for (const { node } of cluster.processes) void node.stop();
  await cluster.clock.advance(10_000);
});

describe("the first good beat", () => {
  test("the first good beat belongs to the join: before it a node is not ready, claims nothing and is in no view", async () => {
    cluster = new Cluster();
    const present = await cluster.up();
    const late = new Process(cluster);
    let hasStarted = false;
    late.connection.failNext("beat", 24);
    void late.node.start().then(() => (hasStarted = true));
    await cluster.until(() => cluster.database.cluster.nodes.size === 2, 10_000);
    await cluster.clock.advance(4_900);
    expect([hasStarted, late.node.phase, late.node.canDispatch()]).toEqual([false, "joining", false]);
    expect(present.viewLabels).toEqual([present.label]);
    expect(late.telemetry.named("cluster.node.joined")).toEqual([]);
    expect(await cluster.until(() => hasStarted, 2_000)).toBe(true);
    expect(late.node.canDispatch()).toBe(true);
    expect(await cluster.until(() => [present, late].every(({ viewLabels }) => viewLabels.length === 2), 2_000)).toBe(
      true,
    );
    expect(late.telemetry.named("cluster.heartbeat.degraded")).toEqual([]);
  });

  test("a first good beat that does not come in time is reported, and the node joins anew under another boot id", async () => {
    cluster = new Cluster();
    await cluster.up();
    const late = new Process(cluster);
    late.connection.failNext("beat", 40);
    void late.node.start();
    await cluster.until(() => late.node.bootId !== null, 10_000);
    const first = late.node.bootId!;
    expect(await cluster.until(() => late.node.canDispatch(), 15_000)).toBe(true);
    expect(late.node.bootId).not.toBe(first);
    expect(cluster.database.cluster.nodes.get(first)?.state).not.toBe("live");
    const [told] = late.telemetry.named("cluster.heartbeat.degraded");
    expect(told?.message).toMatch(/no good beat within 7000 ms of joining/);
    expect((await late.node.status()).degraded).toEqual([]);
  });

  test("the first good beat is not waited for by a stop, which leaves no row behind", async () => {
    cluster = new Cluster();
    const { node, connection } = new Process(cluster);
    connection.failNext("beat", 1_000);
    const started = node.start();
    await cluster.clock.advance(3_000);
    const stopped = node.stop();
    await cluster.clock.advance(500);
    await Promise.all([started, stopped]);
    expect(cluster.database.cluster.beats.size).toBe(0);
    expect(node.phase).toBe("dead");
    expect(cluster.clock.pendingTimers).toBe(0);
  });

  test("a first good beat after the node was declared dead makes it join anew, without a notice to its engine", async () => {
    cluster = new Cluster();
    const buried = new Process(cluster);
    const heard: string[] = [];
    buried.node.listen({ fenced: (reason) => heard.push(reason), joined: () => heard.push("joined") });
    buried.connection.failNext("beat", 2);
    void buried.node.start();
    await cluster.until(() => buried.node.bootId !== null, 10_000);
    const first = buried.node.bootId!;
    await bury(first);
    expect(await cluster.until(() => buried.node.canDispatch(), 10_000)).toBe(true);
    expect(buried.node.bootId).not.toBe(first);
    expect(heard).toEqual(["joined"]);
  });
});

describe("a failure of a node", () => {
  const partsOf = async ({ node }: Process): Promise<string[]> =>
    (await node.status()).degraded.map(({ part }) => part);

  test("a node's failure to write its types is over when it has joined anew with them", async () => {
    cluster = new Cluster();
    const process = await cluster.up();
    process.connection.failNext("updateTypes", 1_000);
    await process.node.updateTypes([1, 2]);
    expect(await partsOf(process)).toEqual(["postgres"]);
    const lost = process.node.bootId!;
    await bury(lost);
    expect(await cluster.until(() => process.node.canDispatch() && process.node.bootId !== lost, 10_000)).toBe(true);
    expect(await partsOf(process)).toEqual([]);
  });

  test("a node's failure to listen for messages is over when it listens or has stopped", async () => {
    cluster = new Cluster();
    const process = cluster.add();
    const subscribe = process.coordination.subscribe.bind(process.coordination);
    process.coordination.subscribe = () => Promise.reject(new Error("no channel"));
    await cluster.until(() => process.node.canDispatch(), 5_000);
    expect(await partsOf(process)).toEqual(["redis"]);
    process.coordination.subscribe = subscribe;
    await cluster.clock.advance(2_000);
    expect(await partsOf(process)).toEqual([]);
  });

  test("a node's failure to start its heartbeat is reported until one starts or the node stops", async () => {
    cluster = new Cluster();
    const process = cluster.add();
    const { heartbeat } = process;
    const start = heartbeat.start.bind(heartbeat);
    heartbeat.start = () => Promise.reject(new Error("no thread"));
    await cluster.clock.advance(3_000);
    expect(await partsOf(process)).toEqual(["heartbeat"]);
    heartbeat.start = start;
    expect(await cluster.until(() => process.node.canDispatch(), 12_000)).toBe(true);
    expect(await partsOf(process)).toEqual([]);
  });
});
