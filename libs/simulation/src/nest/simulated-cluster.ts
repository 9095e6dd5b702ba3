import { AsyncLocalStorage } from "node:async_hooks";
import { type DelayTaskNode, DelayTaskService } from "@tickwheel/nestjs";
import { MemoryDatabase, SeededRandom } from "@tickwheel/testing";
import { SimulatedNotify } from "../notify/simulated-notify.js";
import { SimulatedRedis } from "../redis/simulated-redis.js";
import { TraceHash } from "../time/trace-hash.js";
import { VirtualTime } from "../time/virtual-time.js";
import type { ResolvedClusterOptions } from "./cluster-options.js";
import { ClusterReport, type DrawnFault } from "./cluster-report.js";
import { FaultDraw, type Moment, type Strike } from "./fault-draw.js";
import { RunJournal } from "./run-journal.js";
import { playScenario, type PlayedScenario } from "./scenario.js";
import { CALLER, type SharedGround, SimulatedApp } from "./simulated-app.js";

/** Nodes are there so long before the first task is due, in milliseconds. */
const AHEAD_MS = 5_000;
/** A node starts so long after the one before it, in milliseconds. */
const START_GAP_MS = 150;
/** What takes longer than so much of the run's time hangs, in milliseconds. */
const HUNG_MS = 120_000;
/** An application has come up after so many turns without a timer, or it waits for one. */
const STILL_TURNS = 20;
/** Salts: what is drawn for one thing does not depend on how often something else is. */
const SALTS = { time: 0x27d4eb2f, nodes: 0x5bd1e995, faults: 0x1b873593 } as const;

/** One run: nodes, their common world, and the faults that strike them. */
export class SimulatedCluster {
  private readonly trace = new TraceHash();
  private readonly time: VirtualTime;
  private readonly journal: RunJournal;
  private readonly shared: SharedGround;
  private readonly draw: FaultDraw;
  private readonly chance: SeededRandom;
  private readonly apps: SimulatedApp[] = [];
  private readonly faults: DrawnFault[] = [];
  /** Faults that are on and end by themselves: a node that stood still may have something to do yet. */
  private troubles = 0;
  private built = 0;
  /** Nodes that are to be built and started now. */
  private missing = 0;
  private failure: Error | null = null;

  constructor(private readonly options: ResolvedClusterOptions) {
    const { seed } = options;
    this.chance = new SeededRandom(seed ^ SALTS.nodes);
    this.draw = new FaultDraw(new SeededRandom(seed ^ SALTS.faults), options.faults);
    const time = new VirtualTime({ random: new SeededRandom(seed ^ SALTS.time), trace: this.trace });
    const database = new MemoryDatabase({ clock: time });
    this.time = time;
    this.journal = new RunJournal({ database, time, trace: this.trace });
    this.shared = {
      options,
      time,
      database,
      journal: this.journal,
      handled: new AsyncLocalStorage(),
      redis: new SimulatedRedis({ time }),
      notify: new SimulatedNotify({ time }),
      pass: (app, moment, taskId) => this.pass(app, moment, taskId),
    };
  }

  /** @throws what the scenario throws; Error: a node does not come up, or hangs */
  async run(): Promise<ClusterReport> {
    const { nodes } = this.options;
    try {
      for (let count = 0; count < nodes; count++) await this.build();
      const caller = this.add(CALLER);
      const callerNode = caller.open(this.apps[0]!.given, false);
      await this.pump(callerNode.start(), "The start of the scenario's caller");
      const played = await this.play(new DelayTaskService(callerNode));
      await this.waitForFirst(played, callerNode);
      for (const app of this.apps.filter(({ number }) => number !== CALLER)) await this.start(app);
      await this.goOn(played);
      return this.report();
    } finally {
      await this.close();
    }
  }

  private async play(tasks: DelayTaskService): Promise<PlayedScenario> {
    const { time } = this;
    const scenario = playScenario(this.options.scenario, { tasks, time });
    await this.pump(scenario.played, "The scenario");
    return scenario;
  }

  /** Nobody is there meanwhile, not even the caller: so a month is as quick as a minute. */
  private async waitForFirst({ nextAtMs }: PlayedScenario, caller: DelayTaskNode): Promise<void> {
    const nowMs = this.time.monotonicMs();
    const epochMs = this.shared.database.now() - nowMs;
    const firstMs = Math.min(nextAtMs(), ...this.journal.live.map(({ dueAt }) => dueAt - epochMs));
    if (!Number.isFinite(firstMs) || firstMs - nowMs < 2 * AHEAD_MS) return;
    await this.pump(caller.stop(), "The stop of the scenario's caller");
    await this.time.advance(firstMs - AHEAD_MS - this.time.monotonicMs());
    await this.pump(caller.start(), "The start of the scenario's caller");
  }

  /** Until every task has ended, or the time is over. */
  private async goOn(played: PlayedScenario): Promise<void> {
    const endMs = this.time.monotonicMs() + this.options.lastsMs;
    const isOver = (): boolean =>
      this.troubles === 0 && played.isDone() && this.journal.live.length === 0 && !this.apps.some(isAtWork);
    while (this.time.monotonicMs() < endMs) {
      const mayStop = (): boolean => this.missing > 0 || this.failure !== null || isOver();
      const stops = await this.time.runUntil(mayStop, endMs - this.time.monotonicMs());
      this.failure ??= played.failure();
      if (this.failure) throw this.failure;
      if (this.missing === 0 || !stops) return;
      this.missing--;
      await this.start(await this.build());
    }
  }

  private add(number: number): SimulatedApp {
    const app = new SimulatedApp(this.shared, number, Math.floor(this.chance.next() * 2 ** 32));
    this.apps.push(app);
    return app;
  }

  private async build(): Promise<SimulatedApp> {
    const app = this.add(++this.built);
    const application = await app.build();
    if (app.node === null) throw new Error("The application imports no DelayTaskModule: import the node's `module`.");
    await this.pump(application.init(), `The application of ${app.label}`);
    return app;
  }

  private async start(app: SimulatedApp): Promise<void> {
    this.journal.note(`${app.label} starts`);
    const begin = (): void => {
      app.node!.start().catch((error: unknown) => {
        this.failure ??= new Error(`${app.label} does not start`, { cause: error });
      });
    };
    this.time.setTimer(0, () => app.clock.deliver(begin));
    await this.time.advance(START_GAP_MS);
  }

  /** Lets the time go on until something is done. */
  private async pump(work: Promise<unknown>, what: string): Promise<void> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    done.catch(() => undefined);
    for (let turn = 0; turn < STILL_TURNS && !isDone; turn++) await this.time.settle();
    if (!isDone && !(await this.time.runUntil(() => isDone, HUNG_MS)))
      throw new Error(`${what} hangs: it waits for something that is not simulated, or for tasks to run.`);
    await done;
  }

  private pass(app: SimulatedApp, moment: Moment, taskId: string): void {
    if (app.isInTrouble) return;
    const strike = this.draw.at(moment, new Set([taskId, ...this.journal.ownedLike(taskId)]));
    if (strike === null) return;
    app.isInTrouble = true;
    const { kind, forMs } = strike;
    this.faults.push({ kind, node: app.number, moment, forMs, taskId });
    this.journal.note(`FAULT ${kind} of ${app.label} for ${forMs} ms, where its handler ${moment}`);
    if (kind !== "kill") this.troubles++;
    this.time.setTimer(forMs, begin(app, kind, { heal: () => this.heal(app), replace: () => this.missing++ }));
  }

  private heal(app: SimulatedApp): void {
    this.troubles--;
    app.isInTrouble = false;
    this.journal.note(`${app.label} is well again`);
  }

  private report(): ClusterReport {
    const { journal, faults, trace, time } = this;
    const { seed } = this.options;
    return new ClusterReport({ seed, journal, faults, hash: trace.digest(), virtualMs: time.monotonicMs() });
  }

  private async close(): Promise<void> {
    for (const app of this.apps) {
      const closed = app.close();
      await (app.isAlive ? this.pump(closed, `The end of ${app.label}`) : closed.catch(() => undefined));
    }
    this.shared.handled.disable();
  }
}

function isAtWork({ isAlive, running }: SimulatedApp): boolean {
  return isAlive && running > 0;
}

/** @returns what ends it */
function begin(
  app: SimulatedApp,
  kind: Strike["kind"],
  { heal, replace }: { heal: () => void; replace: () => void },
): () => void {
  const { clock, postgresLink, redisLink } = app;
  const reconnect = (): void => {
    postgresLink.heal();
    redisLink.heal();
    heal();
  };
  switch (kind) {
    case "kill":
      app.kill();
      return replace;
    case "pause":
      clock.pause();
      return () => {
        clock.resume();
        heal();
      };
    case "cut":
      postgresLink.cut();
      redisLink.cut();
      return reconnect;
    case "lost answer":
      postgresLink.cut("in");
      return reconnect;
  }
}
