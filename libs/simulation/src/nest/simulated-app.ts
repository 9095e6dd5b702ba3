import type { AsyncLocalStorage } from "node:async_hooks";
import { FallbackCoordination } from "@tickwheel/coordination";
import type { CallerTransaction, Coordination } from "@tickwheel/core";
import {
  type DelayTask,
  type DelayTaskAround,
  DelayTaskModule,
  type DelayTaskModuleOptions,
  delayTaskNodeToken,
  TICKWHEEL_OPTIONS,
  type TransactionAdapter,
} from "@tickwheel/nestjs";
import {
  assembleNode,
  type ModuleNode,
  type NodeGround,
  NodeTelemetry,
  resolveDelayTaskOptions,
} from "@tickwheel/nestjs/internals";
import {
  joinMemoryTransaction,
  type MemoryConnection,
  type MemoryDatabase,
  memoryTransaction,
  SeededRandom,
} from "@tickwheel/testing";
import { memoryStores } from "@tickwheel/testing/nest";
import { databaseLink } from "../network/database-link.js";
import { SimulatedLink } from "../network/simulated-link.js";
import type { SimulatedNotify } from "../notify/simulated-notify.js";
import type { SimulatedRedis } from "../redis/simulated-redis.js";
import type { SimulatedNodeClock } from "../time/simulated-node-clock.js";
import type { VirtualTime } from "../time/virtual-time.js";
import type { ResolvedClusterOptions, SimulatedApplication } from "./cluster-options.js";
import type { Moment } from "./fault-draw.js";
import { NodeEffects } from "./node-effects.js";
import type { RunJournal } from "./run-journal.js";

/** What all nodes of a run share. */
export interface SharedGround {
  options: ResolvedClusterOptions;
  time: VirtualTime;
  database: MemoryDatabase;
  redis: SimulatedRedis;
  notify: SimulatedNotify;
  journal: RunJournal;
  /** The task whose handler runs. One for all nodes: each costs every promise of the process some time. */
  handled: AsyncLocalStorage<DelayTask>;
  /** A fault may strike the node whose handler has come so far. */
  pass(node: SimulatedApp, moment: Moment, taskId: string): void;
}

/** The number of the scenario's caller, which is no node of the cluster. */
export const CALLER = 0;
/** Nobody connects to it. */
const NOWHERE = "postgres://memory.invalid/memory";
const CURE = "leave it out of the simulation.";
const SILENT = { error: () => undefined, warn: () => undefined, log: () => undefined, debug: () => undefined };
/** Memory for millions of tasks on each of many nodes costs more than a whole run. */
const SMALL = { wheelCapacity: 1_000 };
/** An application's own statement may take so long, in milliseconds; Tickwheel's have less time. */
const CALLER_TIMEOUT_MS = 10_000;
/** Real clocks differ by some ten parts per million. */
const MAX_DRIFT = 20e-6;

/**
 * One process of a simulated cluster: a Nest application whose node stands on virtual time, with its own clock,
 * connections and links. It ends by `kill`, or by `close`.
 */
export class SimulatedApp {
  readonly label: string;
  readonly clock: SimulatedNodeClock;
  readonly effects: NodeEffects;
  readonly postgresLink: SimulatedLink;
  readonly redisLink: SimulatedLink;
  node: ModuleNode | null = null;
  /** A fault is on: no other strikes it meanwhile. */
  isInTrouble = false;
  /** Handlers that have not returned. */
  running = 0;
  /** What the application gave its module. */
  given: DelayTaskModuleOptions = {};
  private app: SimulatedApplication | null = null;
  private readonly random: SeededRandom;
  private readonly connections: MemoryConnection[] = [];

  constructor(
    private readonly shared: SharedGround,
    readonly number: number,
    seed: number,
  ) {
    const { time, redis, journal } = shared;
    this.random = new SeededRandom(seed);
    this.label = number === CALLER ? "caller" : `node-${number}`;
    const rate = 1 + (2 * this.random.next() - 1) * MAX_DRIFT;
    this.clock = time.node({ startMs: 1e6 * this.random.next(), rate });
    this.postgresLink = new SimulatedLink(time);
    this.redisLink = redis.newLink();
    const taskId = (): string | null => shared.handled.getStore()?.id ?? null;
    const pass = (moment: Moment): void => this.pass(moment, taskId());
    const reach = (moment: Moment): Promise<void> => this.reach(moment);
    this.effects = new NodeEffects({ node: number, clock: this.clock, time, journal, taskId, reach, pass });
  }

  /** Whether it was not killed. */
  get isAlive(): boolean {
    return !this.clock.isHalted;
  }

  /** Builds the application; its node is not started. @returns what brings it up */
  async build(): Promise<SimulatedApplication> {
    const { app, name } = this.shared.options;
    const open = (given: DelayTaskModuleOptions): Promise<ModuleNode> => Promise.resolve(this.open(given));
    const module = DelayTaskModule.forRootOn(open, name === undefined ? {} : { name });
    const builder = app({ number: this.number, module, effects: this.effects });
    const factory = (given: DelayTaskModuleOptions): ModuleNode => this.open(given);
    builder.overrideProvider(delayTaskNodeToken(name)).useFactory({ factory, inject: [TICKWHEEL_OPTIONS] });
    this.app = await builder.compile();
    return this.app;
  }

  /** Makes the node of this process's module. */
  open(given: DelayTaskModuleOptions, engine = given.engine ?? true): ModuleNode {
    this.given = given;
    const around = [this.around, ...(given.around ?? [])];
    const ofSimulation = { engine, around, url: NOWHERE, heartbeat: "loop", autoStart: false, ...SMALL } as const;
    const resolved = resolveDelayTaskOptions({ ...ownOptions(given), ...ofSimulation });
    const { statementTimeoutMs } = resolved.scheduler;
    const main = this.connect(statementTimeoutMs);
    const ground: NodeGround = {
      label: this.label,
      clock: this.clock,
      random: this.random,
      stores: memoryStores(main, CURE),
      telemetry: new NodeTelemetry(SILENT, this.clock),
      coordination: this.coordination(given),
      schema: { run: () => Promise.resolve(), requireDone: () => undefined },
      // What a killed node would do at its stop is not done.
      drive: (work) => (this.isAlive ? work() : Promise.resolve()),
    };
    this.node = assembleNode({ ...resolved, transactions: this.transactions() }, ground).node;
    return this.node;
  }

  /** Ends as by `kill -9`. */
  kill(): void {
    this.clock.halt();
    for (const connection of this.connections) connection.kill();
  }

  /** Ends as by SIGTERM; of a killed one only what the application itself keeps open is closed. */
  async close(): Promise<void> {
    if (this.app) await this.app.close();
    else await this.node?.close();
  }

  private readonly around: DelayTaskAround = (task, ctx, next) =>
    this.shared.handled.run(task, async () => {
      const { journal } = this.shared;
      const name = `${task.type} ${task.key ?? task.id}, attempt ${ctx.attempt}, fence ${ctx.fence}`;
      journal.note(`${this.label} begins ${name}`, task.id);
      this.running++;
      try {
        await this.reach("begins");
        const result = await next();
        await this.reach("has returned");
        journal.note(`${this.label} has returned from ${name}`, task.id);
        return result;
      } catch (error) {
        journal.note(`${this.label} threw in ${name}: ${firstLine(error)}`, task.id);
        throw error;
      } finally {
        this.running--;
      }
    });

  private async reach(moment: Moment): Promise<void> {
    this.pass(moment, this.shared.handled.getStore()?.id ?? null);
    await this.clock.turn();
  }

  private pass(moment: Moment, taskId: string | null): void {
    if (taskId !== null && this.isAlive) this.shared.pass(this, moment, taskId);
  }

  private transactions(): TransactionAdapter {
    const connection = this.connect(CALLER_TIMEOUT_MS);
    const { manager } = this.shared.options;
    return {
      run: async (work) => {
        const result = await connection.transaction(async (transaction) => {
          const simulated = this.effects.transaction(transaction);
          const handle = manager?.(simulated) ?? simulated;
          joinMemoryTransaction(handle, transaction);
          const value = await work(handle);
          await this.reach("commits");
          return value;
        });
        await this.reach("has committed");
        return result;
      },
      statements: (handle) => memoryTransaction(handle as CallerTransaction),
    };
  }

  private connect(statementTimeoutMs: number): MemoryConnection {
    const link = databaseLink(this.postgresLink, this.clock);
    const connection = this.shared.database.connect(this.label, { link, clock: this.clock, statementTimeoutMs });
    this.connections.push(connection);
    return connection;
  }

  /** As in production: Redis, and NOTIFY if Redis is away or not used. */
  private coordination({ redis }: DelayTaskModuleOptions): Coordination {
    const notify = this.shared.notify.attach(this.clock, { link: this.postgresLink });
    if (redis === undefined || redis === null) return notify;
    return new FallbackCoordination(this.shared.redis.attach(this.clock, this.redisLink), notify);
  }
}

/** The application's options, but for where its database and its Redis are. */
function ownOptions(given: DelayTaskModuleOptions): DelayTaskModuleOptions {
  const { url: _url, dataSource: _dataSource, redis: _redis, schema: _schema, listenUrl: _listenUrl, ...kept } = given;
  const { transactions: _transactions, transactionPooling: _pooling, ...rest } = kept;
  return rest;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
}
