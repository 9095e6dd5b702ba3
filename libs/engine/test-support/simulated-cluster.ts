import {
  type BootId,
  type BreakerStore,
  type PulseStore,
  type Clock,
  type ClusterStore,
  type Coordination,
  DEFAULT_OPTIONS,
  type EpochMs,
  type Execution,
  type ExecutionResult,
  type Executor,
  type Finder,
  type JsonText,
  type Random,
  type SchedulerOptions,
  type TaskStore,
  type TaskType,
  type Telemetry,
  wait,
  JSON_NULL,
} from "@tickwheel/core";
import { SchedulerNode, type TaskRequest, type StartStep } from "../src/index.js";

/** A handler of a simulated node; `pause` waits on that node's clock. */
export type Handler = (execution: Execution, pause: (ms: number) => Promise<void>) => Promise<ExecutionResult>;

export const succeeded: ExecutionResult = { kind: "succeeded", result: null };

/** One call of a handler, or its return. */
interface HandlerMoment {
  id: string;
  fence: number;
  owner: BootId;
  node: string;
  /** By the database's clock, and by the one that moves it. */
  at: EpochMs;
  monoMs: number;
}

export interface Start extends HandlerMoment {
  kind: "started";
  dueAt: EpochMs;
  attempt: number;
  payload: JsonText;
  finder: Finder;
}

export interface End extends HandlerMoment {
  kind: "ended";
}

/**
 * What the nodes of a simulation have in common, and what each gets of it. A spec makes it of the testing library's
 * parts.
 */
export interface World {
  clock: Clock & { runUntil(condition: () => boolean, withinMs: number): Promise<boolean> };
  database: { now(): EpochMs };
  telemetry: Telemetry;
  join(label: string): Seat;
}

interface Seat {
  clock: Clock & { halt(): void };
  random: Random;
  connection: { kill(): void };
  coordination: Coordination & { setAvailable(available: boolean): void };
  tasks: TaskStore;
  cluster: ClusterStore;
  breakers?: BreakerStore;
  pulse?: PulseStore;
}

export type SimulatedNode<W extends World> = ReturnType<W["join"]> & { label: string; node: SchedulerNode };

interface NodeSettings {
  /** Default: all that there are handlers for. */
  types?: string[];
  /** Default `["api", "engine"]`. */
  roles?: string[];
  signsWebhooks?: boolean;
  preparations?: StartStep[];
  /** Judges the attempts of all types. Default: no type has a breaker. */
  judge?: Executor["judge"];
}

/** Wheels of a million entries are filled with zeros for each node. */
const SMALL = { wheelCapacity: 10_000 };

/** Nodes of one world, whose handlers are functions of the test. */
export class SimulatedCluster<W extends World> {
  readonly nodes: SimulatedNode<W>[] = [];
  /** Every call of a handler and every return, in their order. */
  readonly calls: (Start | End)[] = [];

  constructor(
    readonly world: W,
    private readonly handlers: Record<string, Handler>,
    private readonly options: Partial<SchedulerOptions> = {},
  ) {}

  /** Every start of a handler. */
  get starts(): Start[] {
    return this.calls.filter((call) => call.kind === "started");
  }

  /** Builds and starts a node that runs `types`. */
  async addNode(label: string, settings: NodeSettings = {}): Promise<SimulatedNode<W>> {
    const simulated = this.build(label, settings);
    await this.while(simulated.node.start());
    return simulated;
  }

  /** Builds a node that is not started. */
  build(label: string, settings: NodeSettings = {}): SimulatedNode<W> {
    const types = settings.types ?? Object.keys(this.handlers);
    const seat = this.world.join(label) as ReturnType<W["join"]>;
    const { clock, random, coordination, tasks, cluster, breakers, pulse } = seat;
    const executors = [{ ...this.executor({ label, clock, types }), judge: settings.judge }];
    const node = new SchedulerNode(
      { clock, random, coordination, tasks, cluster, breakers, pulse, executors, telemetry: this.world.telemetry },
      {
        namespace: "default",
        label,
        version: "0.0.0",
        roles: settings.roles ?? ["api", "engine"],
        types: types.map((type) => ({ namespace: "default", type, delivery: "handler" as const })),
        preparations: settings.preparations,
        signsWebhooks: settings.signsWebhooks,
        scheduler: { ...DEFAULT_OPTIONS, ...SMALL, ...this.options },
      },
    );
    const simulated = { ...seat, label, node };
    this.nodes.push(simulated);
    return simulated;
  }

  /** Lets time pass until `work` is done. */
  async while<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    void work.then(
      () => (isDone = true),
      () => (isDone = true),
    );
    await this.world.clock.runUntil(() => isDone, 120_000);
    return work;
  }

  /** As `kill -9`: nothing of this node happens any more. */
  kill(node: SimulatedNode<W>): void {
    node.connection.kill();
    node.clock.halt();
    node.coordination.setAvailable(false);
  }

  /** Stops all nodes but those that were killed. */
  async stop(dead: readonly SimulatedNode<W>[] = []): Promise<void> {
    for (const node of this.nodes) if (!dead.includes(node)) await this.while(node.node.stop());
  }

  private now(): { at: EpochMs; monoMs: number } {
    return { at: this.world.database.now(), monoMs: this.world.clock.monotonicMs() };
  }

  private executor(of: { label: string; clock: Clock; types: readonly string[] }): Executor {
    return {
      canRun: ({ type }: TaskType) => of.types.includes(type),
      limits: () => ({}),
      run: async (execution: Execution): Promise<ExecutionResult> => {
        const { id, fence, owner, attempt, payload, dueAt } = execution.task;
        const moment = { id, fence, owner, node: of.label };
        const start = { attempt, payload, dueAt, finder: execution.foundBy };
        this.calls.push({ kind: "started", ...moment, ...this.now(), ...start });
        try {
          return await this.handlers[execution.type.type]!(execution, (ms) => wait(of.clock, ms, execution.signal));
        } finally {
          this.calls.push({ kind: "ended", ...moment, ...this.now() });
        }
      },
    };
  }
}

export function request(type: string, delayMs: number, more: Partial<TaskRequest> = {}): TaskRequest {
  return { namespace: "default", type, payload: JSON_NULL, due: { delayMs }, actor: "test", ...more };
}
