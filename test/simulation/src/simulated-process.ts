import { FallbackCoordination, RunningHandlers } from "@tickwheel/coordination";
import {
  type AttemptJudge,
  type BootId,
  type ClaimedTask,
  type Clock,
  type ClockTimer,
  type Coordination,
  DEFAULT_OPTIONS,
  type Execution,
  type ExecutionResult,
  type Executor,
  NonRetryableError,
  type SchedulerOptions,
  type TaskType,
  type Telemetry,
  type TypeId,
  TickwheelError,
  wait,
} from "@tickwheel/core";
import { ExecutionCancelledError, ExecutionTimeoutError, NodeDrainingError, SchedulerNode } from "@tickwheel/engine";
import { type HandledExecution, type HandlerContext, HandlerExecutor } from "@tickwheel/executors";
import { collectedIn, databaseLink, type Inlet, SimulatedLink, type SimulatedNodeClock } from "@tickwheel/simulation";
import {
  type MemoryConnection,
  MemoryClusterStore,
  MemoryEffectStore,
  MemoryBreakerStore,
  MemoryLeaseStore,
  MemoryLimitStore,
  MemoryPulseStore,
  MemorySettingStore,
  MemoryTaskStore,
  type MemoryTransaction,
  SeededRandom,
} from "@tickwheel/testing";
import type { Behaviour } from "./plan.js";
import { SimulatedHeartbeat } from "./simulated-heartbeat.js";
import { watchedLimits, watchedStore } from "./watched-store.js";
import type { World } from "./world.js";

export const NAMESPACE = "default";
/**
 * The types that the nodes run: a handler whose effect is in the transaction that completes its task, and one without.
 */
export const TYPES = ["plain", "effect"] as const;

/** How long an application's own statement may take; Tickwheel's have less time. */
const CALLER_TIMEOUT_MS = 10_000;
/** The time after which a killed process is started again. */
const RESTART_MS = 1_500;

export interface ProcessBirth {
  place: number;
  label: string;
  /** The source of its random numbers. */
  seed: number;
}

/** One process: a node, assembled as in production, with its own clock, connections and coordination. It ends
 * by `crash`, or by `stop`; the next start of the same place is another process.
 */
export class SimulatedProcess {
  readonly clock: SimulatedNodeClock;
  readonly node: SchedulerNode;
  /** The network to Postgres, and to Redis. */
  readonly postgresLink: SimulatedLink;
  readonly redisLink: SimulatedLink;
  isOver = false;
  isStopping = false;
  /** The number of requests to it that are not done yet. */
  unanswered = 0;
  /** Handlers that have not returned, of each type. */
  private readonly running = new Map<TypeId, number>();
  private readonly runningHandlers = new RunningHandlers();
  private readonly random: SeededRandom;
  private readonly scheduler: SchedulerOptions;
  private readonly connections: MemoryConnection[] = [];
  /** The connection of the application. */
  private readonly callers: MemoryConnection;

  constructor(
    private readonly world: World,
    private readonly birth: ProcessBirth,
  ) {
    const { place, seed } = birth;
    const { time, plan, redis, redisFaults } = world;
    this.random = new SeededRandom(seed);
    this.scheduler = { ...DEFAULT_OPTIONS, ...plan.options };
    this.clock = time.node({ startMs: 1e6 * this.random.next(), rate: plan.clockRates[place] ?? 1 });
    this.postgresLink = new SimulatedLink(time);
    this.redisLink = redis.newLink();
    this.redisLink.faults = redisFaults;
    this.callers = this.connect(this.clock, CALLER_TIMEOUT_MS);
    this.node = this.assemble();
  }

  /** Which of the cluster's places it runs at. */
  get place(): number {
    return this.birth.place;
  }

  /** The `ip:pid` under which it is known; the next process at this place has the same. */
  get label(): string {
    return this.birth.label;
  }

  get bootId(): BootId | null {
    return this.node.holdings().bootId;
  }

  /** Whether a handler has not returned, whatever the state of its task is. */
  get runsHandlers(): boolean {
    return [...this.running.values()].some((count) => count > 0);
  }

  /** A transaction of the application's own database, which is Tickwheel's. */
  transaction<T>(work: (within: MemoryTransaction) => Promise<T>): Promise<T> {
    return this.callers.transaction(work);
  }

  /** Ends as by `kill -9`: it does nothing more, but statements that have reached the database go on there. */
  crash(): void {
    this.isOver = true;
    for (const [typeId, count] of this.running) this.occupy(typeId, -count);
    this.clock.halt();
    for (const connection of this.connections) connection.kill();
  }

  /** Starts with the next turn of its loop; a start that fails is tried again, as a supervisor does. */
  start(): void {
    const attempt = async (): Promise<void> => {
      while (!this.isOver && !this.isStopping) {
        try {
          return await this.node.start();
        } catch {
          await wait(this.clock, 500);
        }
      }
    };
    this.world.spawn(this, "starting", attempt);
  }

  /** Ends as by SIGTERM. */
  async stop(): Promise<void> {
    const { bootId } = this;
    this.isStopping = true;
    if (bootId !== null) this.world.recorder.record({ kind: "leaving", bootId });
    await this.node.stop();
    this.isOver = true;
  }

  private assemble(): SchedulerNode {
    const { clock, random, scheduler, label } = this;
    const { recorder } = this.world;
    const main = this.connect(clock, scheduler.statementTimeoutMs);
    const tasks = watchedStore(new MemoryTaskStore(main), (what) => recorder.count(what));
    const telemetry = this.world.telemetryOf(this);
    const handlers = new HandlerExecutor({
      tasks,
      effects: new MemoryEffectStore(main),
      clock,
      runTransaction: (work) => this.transaction(work),
    });
    const handle = (execution: HandledExecution, context: HandlerContext): Promise<string> =>
      this.handle(execution, context);
    for (const type of TYPES) handlers.register({ namespace: NAMESPACE, type, handle });
    return new SchedulerNode(
      {
        clock,
        random,
        tasks,
        cluster: new MemoryClusterStore(main),
        settings: new MemorySettingStore(main),
        pulse: new MemoryPulseStore(main),
        ...(this.world.plan.breakers ? { breakers: new MemoryBreakerStore(main) } : {}),
        ...(this.world.plan.consumers
          ? { leases: new MemoryLeaseStore(main), claimSecrets: this.world.claimSecrets }
          : {}),
        limits: watchedLimits(new MemoryLimitStore(main), (what) => recorder.count(what)),
        telemetry,
        runningHandlers: this.runningHandlers,
        heartbeat: this.heartbeat(telemetry),
        coordination: this.coordination(),
        executors: [this.watched(handlers)],
      },
      {
        namespace: NAMESPACE,
        label,
        version: "0.0.0",
        roles: ["api", "engine"],
        scheduler,
        types: TYPES.map((type) => ({ namespace: NAMESPACE, type, delivery: "handler" as const })),
      },
    );
  }

  /** In its own thread, over connections of its own. */
  private heartbeat(telemetry: Telemetry): SimulatedHeartbeat {
    const { clock } = this;
    const { heartbeatIntervalMs, loopBlockedFenceMs } = this.scheduler;
    return new SimulatedHeartbeat({
      virtual: this.world.time,
      clock,
      telemetry,
      heartbeatIntervalMs,
      loopBlockedFenceMs,
      store: new MemoryClusterStore(this.connect(clock.worker, heartbeatIntervalMs)),
      redis: this.redisOf(clock.worker),
      runningHandlers: this.runningHandlers,
      fenced: () => {
        if (this.world.plan.killsBlocked) this.world.crash(this, RESTART_MS);
      },
    });
  }

  private connect(loop: Clock & Inlet, statementTimeoutMs: number): MemoryConnection {
    const { recorder, database } = this.world;
    const link = databaseLink(this.postgresLink, loop);
    const onSlowLane = (): void => recorder.count("branch slow lane");
    const connection = database.connect(this.label, { link, clock: loop, statementTimeoutMs, onSlowLane });
    this.connections.push(connection);
    return connection;
  }

  /** As in production: Redis, and NOTIFY if Redis is away or not used. */
  private coordination(): Coordination {
    const redis = this.redisOf(this.clock);
    const notify = this.world.notify.attach(this.clock, { link: this.postgresLink });
    return redis ? new FallbackCoordination(redis, notify) : notify;
  }

  private redisOf(loop: Clock & Inlet): Coordination | null {
    return this.world.plan.coordination === "redis" ? this.world.redis.attach(loop, this.redisLink) : null;
  }

  /** Records every call of a handler in the history. */
  private watched(handlers: HandlerExecutor): Executor {
    const { recorder } = this.world;
    return {
      canRun: (type: TaskType) => handlers.canRun(type),
      limits: (type: TaskType) => handlers.limits(type),
      judge: (_type, opens) => new SecondFailure(() => (recorder.count("breaker opens"), opens())),
      run: async (execution: Execution): Promise<ExecutionResult> => {
        const { id: taskId, fence, owner: bootId, dueAt, typeId } = execution.task;
        const moment = { taskId, fence, bootId };
        const { items } = collectedIn(execution.task.payload);
        recorder.record({ kind: "started", ...moment, finder: execution.foundBy, dueAt, items });
        recorder.count(`found by ${execution.foundBy}`);
        this.occupy(typeId, 1);
        const aborts = this.watchAborts(execution);
        try {
          return await handlers.run(execution);
        } finally {
          aborts.clear();
          recorder.record({ kind: "ended", ...moment });
          this.occupy(typeId, -1);
        }
      },
    };
  }

  /**
   * Records in the history why an execution was aborted. If it outlives a cancel, no further signal reports its
   * time-out.
   */
  private watchAborts({ signal, task: { id: taskId, fence, owner: bootId, timeoutMs } }: Execution): ClockTimer {
    const { recorder } = this.world;
    const moment = { taskId, fence, bootId };
    const endsMonoMs = this.clock.monotonicMs() + timeoutMs;
    const timedOut = (): void => recorder.record({ kind: "timed-out", ...moment });
    const timers: ClockTimer[] = [];
    signal.addEventListener("abort", () => {
      const { reason } = signal as { reason: unknown };
      recorder.count(`aborted by ${reason instanceof Error ? reason.name : "?"}`);
      if (reason instanceof ExecutionTimeoutError) timedOut();
      if (reason instanceof NodeDrainingError) recorder.record({ kind: "drain-aborted", ...moment });
      if (reason instanceof ExecutionCancelledError)
        timers.push(this.clock.setTimer(endsMonoMs - this.clock.monotonicMs(), timedOut));
    });
    return { clear: () => timers.forEach((timer) => timer.clear()) };
  }

  /**
   * If a node has no place for a type, or none at all, that is a fault for the tasks that it should run, until it has a
   * place again.
   */
  private occupy(typeId: TypeId, places: number): void {
    const { recorder } = this.world;
    const wasFull = this.isFull();
    this.running.set(typeId, (this.running.get(typeId) ?? 0) + places);
    if (!wasFull && this.isFull()) recorder.overloadBegan();
    if (wasFull && !this.isFull()) recorder.overloadEnded();
  }

  private isFull(): boolean {
    const { concurrency } = this.scheduler;
    // A tenth of the places is kept for the other type.
    const limit = Math.floor(concurrency * 0.9);
    const counts = [...this.running.values()];
    const total = counts.reduce((sum, count) => sum + count, 0);
    return total >= concurrency || counts.some((count) => count >= limit);
  }

  private async handle({ task, payload }: HandledExecution, context: HandlerContext): Promise<string> {
    const behaviour = payload as unknown as Behaviour;
    if (this.world.plan.snoozes && behaviour.fails === "throws" && isStillFailing(behaviour, task)) {
      this.world.recorder.count("handler snoozes");
      await wait(this.clock, behaviour.workMs, context.signal);
      context.snooze(behaviour.workMs);
      return "not yet";
    }
    if (behaviour.kind === "plain") {
      await this.work(behaviour, task, context);
      return "done";
    }
    const { id: taskId, fence, owner: bootId } = task;
    const { recorder } = this.world;
    const effect = context.transaction(async (within) => {
      const tell = (commit: number): void =>
        recorder.record({ kind: "effect", taskId, fence, bootId, step: null, commit });
      (within as MemoryTransaction).onCommit(tell);
      await this.work(behaviour, task, context);
      return "done";
    });
    effect.catch((error: unknown) => {
      const isLost = error instanceof TickwheelError && error.code === "LEASE_LOST";
      if (isLost) recorder.count("branch effect rolled back");
    });
    return effect;
  }

  private async work(behaviour: Behaviour, task: ClaimedTask, context: HandlerContext) {
    const { workMs, fails } = behaviour;
    const { attempt } = task;
    const { recorder } = this.world;
    if (fails === null || !isStillFailing(behaviour, task)) return wait(this.clock, workMs, context.signal);
    recorder.count(`handler ${fails}`);
    switch (fails) {
      case "throws":
        await wait(this.clock, workMs, context.signal);
        throw oddError(attempt);
      case "gives-up":
        throw new NonRetryableError("the handler gives up");
      case "hangs":
        await new Promise((resolve) => context.signal.addEventListener("abort", resolve, { once: true }));
        throw new Error("stopped");
      case "ignores-abort":
        return wait(this.clock, workMs + 4_000);
      case "kills-node":
        this.world.crash(this, RESTART_MS);
        return new Promise<void>(() => undefined);
      case "blocks-loop":
        this.world.block(this, workMs + 2_000);
        return wait(this.clock, 0);
    }
  }
}

function isStillFailing({ times }: Behaviour, { attempt, crashCount, snoozeCount }: ClaimedTask): boolean {
  return attempt + crashCount + snoozeCount <= times;
}

/** What handlers throw is not always an error, and an error's fields are not always text. */
function oddError(attempt: number): unknown {
  const odd = [new Error("the handler throws"), Object.assign(new Error(), { message: { code: attempt } }), undefined];
  return odd[attempt % odd.length];
}

/** A breaker opens for a short time at the second failure in a row. */
class SecondFailure implements AttemptJudge {
  readonly openForMs = 400;
  private failures = 0;

  constructor(private readonly opens: () => void) {}

  add(hasFailed: boolean): void {
    this.failures = hasFailed ? this.failures + 1 : 0;
    if (this.failures === 2) this.opens();
  }

  reset(): void {
    this.failures = 0;
  }

  stop(): void {
    this.failures = 0;
  }
}
