import {
  DEFAULT_OPTIONS,
  type Execution,
  type ExecutionResult,
  type Executor,
  type Json,
  type SchedulerOptions,
  type TaskType,
  wait,
} from "@tickwheel/core";
import {
  ManualClock,
  MemoryBus,
  MemoryClusterStore,
  type MemoryConnection,
  MemoryDatabase,
  MemoryTaskStore,
  type NodeClock,
  RecordingTelemetry,
  SeededRandom,
} from "@tickwheel/testing";
import { SchedulerNode, type ScheduleRequest } from "../src/index.js";

/** A handler of a simulated node; `pause` waits on that node's clock. */
export type Handler = (execution: Execution, pause: (ms: number) => Promise<void>) => Promise<ExecutionResult>;

export interface Start {
  id: string;
  fence: number;
  node: string;
  at: number;
  attempt: number;
  payload: Json;
}

export const succeeded: ExecutionResult = { kind: "succeeded", result: null };

/** Nodes on one manual clock, one seed, one database and one bus, all in memory. */
export class SimulatedCluster {
  readonly clock = new ManualClock();
  readonly database = new MemoryDatabase({ clock: this.clock });
  readonly bus = new MemoryBus({ clock: this.clock });
  readonly telemetry = new RecordingTelemetry();
  readonly nodes: SimulatedNode[] = [];
  /** Every start of a handler, by the database's clock. */
  readonly starts: Start[] = [];
  private readonly random: SeededRandom;

  constructor(
    seed: number,
    private readonly handlers: Record<string, Handler>,
    private readonly options: Partial<SchedulerOptions> = {},
  ) {
    this.random = new SeededRandom(seed);
  }

  /** Builds and starts a node that runs `types`. */
  async addNode(
    label: string,
    settings: { types?: string[]; roles?: string[]; concurrency?: Record<string, number> } = {},
  ): Promise<SimulatedNode> {
    const types = settings.types ?? Object.keys(this.handlers);
    const connection = this.database.connect(label);
    const clock = this.clock.forNode();
    const coordination = this.bus.attach();
    const executor = this.executor({ label, clock, types, concurrency: settings.concurrency ?? {} });
    const node = new SchedulerNode(
      {
        ...{ clock, coordination, telemetry: this.telemetry, executors: [executor] },
        random: new SeededRandom(Math.floor(this.random.next() * 2 ** 32)),
        tasks: new MemoryTaskStore(connection),
        cluster: new MemoryClusterStore(connection),
      },
      {
        ...{ namespace: "default", label, version: "0.0.0", roles: settings.roles ?? ["api", "engine"] },
        types: types.map((type) => ({ namespace: "default", type, delivery: "handler" as const })),
        scheduler: { ...DEFAULT_OPTIONS, ...this.options },
      },
    );
    const simulated = { label, node, connection, clock, coordination };
    this.nodes.push(simulated);
    await this.while(node.start());
    return simulated;
  }

  /** Lets time pass until `work` is done. */
  async while<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    void work.then(
      () => (isDone = true),
      () => (isDone = true),
    );
    await this.clock.runUntil(() => isDone, 120_000);
    return work;
  }

  /** As `kill -9`: nothing of this node happens any more. */
  kill(node: SimulatedNode): void {
    node.connection.kill();
    node.clock.halt();
    node.coordination.setAvailable(false);
  }

  /** Stops all nodes but those that were killed. */
  async stop(dead: readonly SimulatedNode[] = []): Promise<void> {
    for (const node of this.nodes) if (!dead.includes(node)) await this.while(node.node.stop());
  }

  private executor(of: {
    label: string;
    clock: NodeClock;
    types: readonly string[];
    concurrency: Record<string, number>;
  }): Executor {
    return {
      canRun: ({ type }: TaskType) => of.types.includes(type),
      limits: ({ type }: TaskType) => ({ concurrency: of.concurrency[type] }),
      run: async (execution: Execution): Promise<ExecutionResult> => {
        const { id, fence, attempt, payload } = execution.task;
        this.starts.push({ id, fence, attempt, payload, node: of.label, at: this.database.now() });
        return this.handlers[execution.type.type]!(execution, (ms) => wait(of.clock, ms, execution.signal));
      },
    };
  }
}

export interface SimulatedNode {
  label: string;
  node: SchedulerNode;
  connection: MemoryConnection;
  clock: NodeClock;
  coordination: ReturnType<MemoryBus["attach"]>;
}

export function request(type: string, delayMs: number, more: Partial<ScheduleRequest> = {}): ScheduleRequest {
  return { namespace: "default", type, payload: null, due: { delayMs }, actor: "test", ...more };
}
