import { afterEach, describe, expect, test } from "@jest/globals";
import { type Clock, type ClockTimer, DEFAULT_OPTIONS, SLOT_COUNT } from "@tickwheel/core";
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
import type { Heartbeat } from "../beats/heartbeat.js";
import { LoopHeartbeat, type LoopHeartbeatPorts } from "../beats/loop-heartbeat.js";

/** A process's view of the clock, which can be frozen (its timers fire when it thaws) or killed. */
class ProcessClock implements Clock {
  private held: (() => void)[] = [];
  private state: "running" | "frozen" | "killed" = "running";
  readonly soon = queueMicrotask;
  readonly nextTurn = queueMicrotask;
  constructor(private readonly clock: ManualClock) {}

  monotonicMs(): number {
    return this.clock.monotonicMs();
  }

  setTimer(delayMs: number, callback: () => void): ClockTimer {
    let isCleared = false;
    const fire = (): void => {
      if (isCleared || this.state === "killed") return;
      if (this.state === "frozen") this.held.push(fire);
      else callback();
    };
    const timer = this.clock.setTimer(delayMs, fire);
    return {
      clear: () => {
        isCleared = true;
        timer.clear();
      },
    };
  }

  freeze(): void {
    this.state = "frozen";
  }

  /** Held timers fire one by one, in the order of their instants. */
  async thaw(): Promise<void> {
    this.state = "running";
    for (const fire of this.held.splice(0)) {
      fire();
      await this.clock.settle();
    }
  }

  kill(): void {
    this.state = "killed";
  }
}

/** Like a worker thread: it beats by a clock that goes on, and is heard when the main loop gets to it. */
function workerHeartbeat(ports: LoopHeartbeatPorts, mainClock: Clock): Heartbeat {
  const worker = new LoopHeartbeat(ports, DEFAULT_OPTIONS);
  const post = (what: () => void): void => void mainClock.setTimer(0, what);
  return {
    start: (identity, source, listener) =>
      worker.start(identity, source, {
        beatGood: (good) => post(() => listener.beatGood(good)),
        lost: () => post(() => listener.lost()),
      }),
    stop: () => worker.stop(),
    beatSoon: () => worker.beatSoon(),
  };
}

/** One node of a simulated cluster, and what it was notified of. */
class Process {
  readonly clock: ProcessClock;
  readonly telemetry = new RecordingTelemetry();
  readonly connection: MemoryConnection;
  readonly coordination: MemoryCoordination;
  readonly node: ClusterNode;
  readonly heard: string[] = [];

  constructor(
    readonly cluster: Cluster,
    readonly label: string,
    beatsIn: "loop" | "worker",
  ) {
    this.clock = new ProcessClock(cluster.clock);
    this.connection = cluster.database.connect(label);
    this.coordination = cluster.bus.attach();
    const { clock, coordination, telemetry } = this;
    const store = new MemoryClusterStore(this.connection);
    const random = new SeededRandom(7 + cluster.processes.length);
    const ports = { clock, random, store, coordination, telemetry };
    const settings = { label, version: "1.0.0", roles: ["engine"], typeIds: [1], options: DEFAULT_OPTIONS };
    this.node = new ClusterNode(
      beatsIn === "loop" ? ports : { ...ports, heartbeat: workerHeartbeat({ ...ports, clock: cluster.clock }, clock) },
      settings,
    );
    this.node.listen({
      joined: (bootId) => this.heard.push(`joined ${bootId}`),
      fenced: (reason) => this.heard.push(`fenced ${reason}`),
      resumed: () => this.heard.push("resumed"),
    });
  }

  get viewLabels(): string {
    const labels = this.node.ownership().nodes.map((node) => node.label);
    return labels.sort().join();
  }

  kill(): void {
    this.clock.kill();
    this.connection.kill();
    this.coordination.setAvailable(false);
  }
}

class Cluster {
  readonly clock = new ManualClock();
  readonly database = new MemoryDatabase({ clock: this.clock });
  readonly processes: Process[] = [];
  readonly bus: MemoryBus;

  constructor(kind: "redis" | "postgres" = "redis") {
    this.bus = new MemoryBus({ clock: this.clock, kind });
  }

  add(count: number, beatsIn: "loop" | "worker" = "loop"): Process[] {
    const added = Array.from({ length: count }, () => {
      const process = new Process(this, `10.0.0.1:${this.processes.length + 1}`, beatsIn);
      this.processes.push(process);
      return process;
    });
    for (const { node } of added) void node.start();
    return added;
  }

  async up(count: number, beatsIn: "loop" | "worker" = "loop"): Promise<Process[]> {
    const added = this.add(count, beatsIn);
    expect(await this.until(() => this.agree(added), 5_000)).toBe(true);
    return added;
  }

  /** Whether all of these know one view that holds exactly them. */
  agree(processes: readonly Process[]): boolean {
    const labels = processes.map((process) => process.label).sort();
    return processes.every((process) => process.viewLabels === labels.join());
  }

  leaders(): Process[] {
    return this.processes.filter(({ node }) => node.leadership() !== null);
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

  async msUntil(condition: () => boolean, withinMs = 60_000): Promise<number> {
    const startMs = this.clock.monotonicMs();
    expect(await this.until(condition, withinMs)).toBe(true);
    return this.clock.monotonicMs() - startMs;
  }
}

let cluster: Cluster;

afterEach(async () => {
  for (const { node } of cluster.processes) void node.stop();
  await cluster.clock.advance(10_000);
});

function others(processes: readonly Process[], but: Process): Process[] {
  return processes.filter((process) => process !== but);
}

describe("a node that dies", () => {
  test.each(["redis", "postgres"] as const)(
    "a node that dies leaves the view within 5 s and is dead within 9 s; the others own its slots (%s)",
    async (kind) => {
      cluster = new Cluster(kind);
      const nodes = await cluster.up(3);
      await cluster.clock.advance(5_300);
      const victim = others(nodes, cluster.leader())[0]!;
      const rest = others(nodes, victim);
      victim.kill();
      const outOfViewMs = await cluster.msUntil(() => cluster.agree(rest));
      expect(outOfViewMs).toBeGreaterThan(2_000);
      expect(outOfViewMs).toBeLessThanOrEqual(5_000);
      expect(rest.map(({ node }) => node.ownership().mine(1).size).reduce((sum, size) => sum + size)).toBe(SLOT_COUNT);
      expect(cluster.stateOf(victim.node.bootId)).toBe("live");
      const deadMs = await cluster.msUntil(() => cluster.stateOf(victim.node.bootId) !== "live");
      expect(outOfViewMs + deadMs).toBeGreaterThan(6_000);
      expect(outOfViewMs + deadMs).toBeLessThanOrEqual(9_000);
      expect(rest.every(({ node }) => node.canDispatch())).toBe(true);
    },
  );

  test.each([
    ["redis", 5_000],
    ["postgres", 8_000],
  ] as const)("a leader that dies is followed by a new term in time (%s)", async (kind, limitMs) => {
    cluster = new Cluster(kind);
    const nodes = await cluster.up(3);
    await cluster.clock.advance(5_600);
    const victim = cluster.leader();
    const rest = others(nodes, victim);
    victim.kill();
    const tookMs = await cluster.msUntil(() => cluster.database.cluster.term.term === 2);
    expect(tookMs).toBeGreaterThan(2_000);
    expect(tookMs).toBeLessThanOrEqual(limitMs);
    await cluster.msUntil(() => cluster.agree(rest), 5_000 - Math.min(tookMs, 4_000));
    expect(await cluster.until(() => cluster.stateOf(victim.node.bootId) !== "live", 9_000 - tookMs)).toBe(true);
    expect(rest.filter(({ node }) => node.leadership() !== null)).toHaveLength(1);
  });

  test("a node that dies is reported dead, and stays in the report", async () => {
    cluster = new Cluster();
    const victim = others(await cluster.up(2), cluster.leader())[0]!;
    victim.kill();
    await cluster.clock.advance(60_000);
    expect(cluster.stateOf(victim.node.bootId)).toBe("dead");
  });
});

describe("faults that make no node dead", () => {
  test("with Postgres away for half a minute all nodes stop in time, none is suspect or dead, and all go on", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3);
    const bootIds = nodes.map(({ node }) => node.bootId);
    const view = cluster.database.cluster.view?.number;
    for (const { connection } of nodes) connection.disconnect();
    const fencedMs = await cluster.msUntil(() => nodes.every(({ heard }) => heard.includes("fenced no_good_beat")));
    expect(fencedMs).toBeGreaterThan(3_500);
    expect(fencedMs).toBeLessThan(6_000);
    expect(nodes.some(({ node }) => node.canDispatch())).toBe(false);
    expect(cluster.leaders()).toEqual([]);
    await cluster.clock.advance(30_000);
    for (const { connection } of nodes) connection.connect();
    expect(await cluster.msUntil(() => nodes.every(({ node }) => node.canDispatch()))).toBeLessThanOrEqual(2_000);
    await cluster.clock.advance(20_000);
    expect(nodes.map(({ node }) => node.bootId)).toEqual(bootIds);
    expect(cluster.database.cluster.view?.number).toBe(view);
    expect(cluster.leaders()).toHaveLength(1);
    for (const { heard } of nodes) expect(heard.slice(1)).toEqual(["fenced no_good_beat", "resumed"]);
    for (const { telemetry } of nodes) expect(telemetry.events.length).toBeLessThan(20);
  });

  test("a store that hangs does not age any node", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3);
    const view = cluster.database.cluster.view?.number;
    for (const { connection, clock } of nodes) {
      connection.gate = ({ phase }) =>
        phase === "before"
          ? new Promise((_, reject) => clock.setTimer(2_000, () => reject(new Error("no answer"))))
          : undefined;
    }
    await cluster.clock.advance(20_000);
    for (const { connection } of nodes) connection.gate = null;
    await cluster.clock.advance(20_000);
    expect(cluster.database.cluster.view?.number).toBe(view);
    expect(nodes.every(({ node }) => node.canDispatch())).toBe(true);
    for (const { heard } of nodes) expect(heard.slice(1)).toEqual(["fenced no_good_beat", "resumed"]);
  });

  test("with Redis away Postgres' beats are read, nothing changes, and the outage is reported", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3);
    const view = cluster.database.cluster.view?.number;
    cluster.bus.setAvailable(false, "connection refused");
    await cluster.clock.advance(20_000);
    expect(cluster.database.cluster.view?.number).toBe(view);
    expect(cluster.database.cluster.term.term).toBe(1);
    const status = await nodes[0]!.node.status();
    expect(status.coordination).toBe("postgres-degraded");
    expect(status.degraded).toEqual([{ part: "redis", forMs: expect.any(Number), detail: "connection refused" }]);
    expect(status.degraded[0]!.forMs).toBeGreaterThan(19_000);
    cluster.bus.setAvailable(true);
    await cluster.clock.advance(5_000);
    expect((await nodes[0]!.node.status()).degraded).toEqual([]);
    expect(nodes[0]!.telemetry.events.slice(-2).map((event) => event.name)).toEqual([
      "cluster.redis.degraded",
      "cluster.redis.recovered",
    ]);
    expect(nodes.flatMap(({ heard }) => heard.slice(1))).toEqual([]);
  });

  test("Redis flushed, or lost by one node alone, makes no node dead", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3);
    const view = cluster.database.cluster.view?.number;
    cluster.bus.flush();
    others(nodes, cluster.leader())[0]!.coordination.setAvailable(false);
    await cluster.clock.advance(30_000);
    expect(cluster.database.cluster.view?.number).toBe(view);
    expect(nodes.flatMap(({ heard }) => heard.slice(1))).toEqual([]);
  });

  test("a leader that was frozen for two seconds suspects no node", async () => {
    cluster = new Cluster();
    await cluster.up(3);
    const view = cluster.database.cluster.view?.number;
    const leader = cluster.leader();
    leader.clock.freeze();
    await cluster.clock.advance(2_000);
    await leader.clock.thaw();
    await cluster.clock.advance(20_000);
    expect(cluster.database.cluster.view?.number).toBe(view);
    expect(cluster.leader()).toBe(leader);
  });
});

describe("a node whose main loop is blocked while its worker beats", () => {
  test("a node whose main loop is blocked for 20 s while its worker beats is not suspected, and none of its work is aborted", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3, "worker");
    const view = cluster.database.cluster.view?.number;
    const blocked = others(nodes, cluster.leader())[0]!;
    blocked.clock.freeze();
    await cluster.clock.advance(20_000);
    expect(blocked.node.canDispatch()).toBe(false);
    await blocked.clock.thaw();
    await cluster.clock.advance(10_000);
    expect(blocked.node.canDispatch()).toBe(true);
    expect(cluster.database.cluster.view?.number).toBe(view);
    expect(nodes.flatMap(({ heard }) => heard.slice(1))).toEqual([]);
  });
});

describe("a node that the others held for dead", () => {
  test("a node that is cut off from Postgres stops before it is dead, and comes back under a new boot id", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3);
    const victim = others(nodes, cluster.leader())[0]!;
    const first = victim.node.bootId;
    victim.connection.disconnect();
    expect(await cluster.until(() => victim.heard.includes("fenced no_good_beat"), 7_000)).toBe(true);
    expect(cluster.stateOf(first)).toBe("live");
    expect(await cluster.until(() => cluster.stateOf(first) !== "live", 4_000)).toBe(true);
    victim.connection.connect();
    expect(await cluster.until(() => cluster.agree(nodes), 4_000)).toBe(true);
    expect(victim.node.bootId).not.toBe(first);
    expect(victim.heard).toEqual([
      `joined ${first}`,
      "fenced no_good_beat",
      "fenced lost",
      `joined ${victim.node.bootId}`,
    ]);
    expect(victim.node.canDispatch()).toBe(true);
    expect(cluster.database.cluster.view?.nodes.map((node) => node.bootId)).toContain(victim.node.bootId);
  });

  test("a node that was frozen for 20 s, even as the leader, declares no node dead when it wakes, and joins anew", async () => {
    cluster = new Cluster();
    const nodes = await cluster.up(3);
    const victim = cluster.leader();
    const first = victim.node.bootId;
    const rest = others(nodes, victim).map(({ node }) => node.bootId);
    victim.clock.freeze();
    await cluster.clock.advance(20_000);
    expect(victim.node.canDispatch()).toBe(false);
    await victim.clock.thaw();
    expect(await cluster.until(() => cluster.agree(nodes), 5_000)).toBe(true);
    await cluster.clock.advance(20_000);
    expect(others(nodes, victim).map(({ node }) => node.bootId)).toEqual(rest);
    expect(victim.node.bootId).not.toBe(first);
    expect(victim.heard).toContain("fenced lost");
    expect(cluster.leaders()).toHaveLength(1);
  });

  test("a node whose rows vanish again and again joins about once a second, not more often", async () => {
    cluster = new Cluster();
    const [node] = (await cluster.up(1)) as [Process];
    let joins = 0;
    node.connection.gate = ({ statement, phase }) => {
      if (statement === "join" && phase === "after") {
        joins++;
        cluster.database.cluster.forgetBeats();
      }
    };
    cluster.database.cluster.forgetBeats();
    await cluster.clock.advance(10_000);
    expect(joins).toBeGreaterThan(5);
    expect(joins).toBeLessThan(25);
  });
});
