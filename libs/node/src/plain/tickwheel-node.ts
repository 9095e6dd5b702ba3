import {
  type DurationInput,
  type EventName,
  type KeptAsResult,
  type MetricReading,
  type NamedEvent,
  TickwheelError,
} from "@tickwheel/core";
import type { TaskDefinition } from "@tickwheel/calls";
import type { EntityManager } from "typeorm";
import { DelayTaskService } from "../faces/delay-task.service.js";
import {
  codeInterval,
  type CodeIntervalOptions,
  type CodeSchedule,
  codeSchedule,
  type CodeScheduleOptions,
  type NodeSchedule,
} from "../handlers/code-schedule.js";
import type { DelayTask, DelayTaskContext } from "../handlers/delay-task.js";
import { eventName } from "../handlers/event-name.js";
import type { HandlerOptions, NodeHandler, NodeListener } from "../handlers/node-handler.js";
import type { DelayTaskNode } from "../node/delay-task.node.js";
import { nodeTypeOf } from "../node/node-type.js";

/**
 * Runs the tasks of a type. What it returns is the task's result; what it throws is a failed attempt.
 *
 * @typeParam Transaction what `ctx.transaction` gives; see {@link DelayTaskContext}
 */
export type TaskHandler<Payload = unknown, Transaction = EntityManager, Result = unknown> = (
  task: DelayTask<Payload>,
  context: DelayTaskContext<Transaction>,
) => Result;

/**
 * A node in a program of its own, without a framework; `createNode` makes it. Give it its handlers, start it, and stop
 * it when the program is to end.
 *
 * @example
 * node.handle(CancelOrder, async ({ payload }) => orders.cancel(payload.orderId));
 * await node.start();
 * await node.tasks.schedule(CancelOrder, { orderId: "42" }, { delay: "15m" });
 * process.once("SIGTERM", () => void node.stop());
 */
export class TickwheelNode {
  /** Schedules, cancels and looks up tasks; `tasks.schedules` and `tasks.batches` beside them. */
  readonly tasks: DelayTaskService;

  private readonly handlers = new Map<string, NodeHandler>();
  private readonly listeners: NodeListener[] = [];
  private readonly schedules: NodeSchedule[] = [];
  private starting: Promise<void> | null = null;
  private stopping: Promise<void> | null = null;

  /** @param node one that was opened, and is this one's alone */
  constructor(private readonly node: DelayTaskNode) {
    this.tasks = new DelayTaskService(node);
  }

  /**
   * Has a function run the tasks of a type on this node; before `start`, and once for each type.
   *
   * @example node.handle<{ orderId: string }>("order.cancel", ({ payload }) => orders.cancel(payload.orderId))
   * @param options as those of `@DelayTaskHandler`, before those of the definition. Default: none
   * @throws TickwheelError `CONFIGURATION_INVALID` for a type that has a handler, or a node that was started;
   *   `VALIDATION_FAILED` with every fault of the type and the options
   */
  handle<Payload, Transaction = EntityManager, Result = unknown>(
    task: TaskDefinition<Payload, unknown>,
    handle: TaskHandler<NoInfer<Payload>, Transaction, Result> &
      ((...parameters: never[]) => KeptAsResult<Awaited<Result>>),
    options?: HandlerOptions<NoInfer<Payload>>,
  ): this;
  handle<Payload = unknown, Transaction = EntityManager>(
    type: string,
    handle: TaskHandler<Payload, Transaction>,
    options?: HandlerOptions<NoInfer<Payload>>,
  ): this;
  handle(
    task: string | TaskDefinition<unknown, unknown>,
    handle: TaskHandler<never, never>,
    options: HandlerOptions<never> = {},
  ): this {
    const type = typeof task === "string" ? task : task.type;
    const where = `handle("${type}")`;
    this.requireNew(where);
    return typeof task === "string"
      ? this.add({ type, where, options }, handle)
      : this.add({ type, where, payload: task.payload, options: { ...task.defaults, ...options } }, handle);
  }

  /**
   * Calls a function for each event of this name that happens on this node, with its facts; docs/telemetry.md says when
   * each happens. It must be quick. Before `start`.
   *
   * @example node.on("task.dead", ({ facts: { type, key }, error }) => alerts.send(`${type} ${key}`, error))
   * @throws TickwheelError `CONFIGURATION_INVALID` for a name that no event has, or a node that was started
   */
  on<Name extends EventName>(name: Name, listen: (event: NamedEvent<Name>) => unknown): this {
    const where = `on("${String(name)}")`;
    this.requireNew(where);
    requireFunction(listen, where);
    const event = eventName(name, where);
    this.listeners.push({ event, listen: (told) => listen(told as NamedEvent<Name>) });
    return this;
  }

  /**
   * Runs a function by a cron expression, once per cluster: each occurrence is a task, on whichever node is free. Where
   * versions differ, the newest that has been live for 30 s is in force. Before `start`.
   *
   * @example node.cron("5 0 * * *", { name: "settle", timeZone: "Europe/Berlin" }, async (task, ctx) => settle())
   * @param expression 5 or 6 fields (seconds first), on the clock of `timeZone` (default UTC)
   * @throws TickwheelError `CONFIGURATION_INVALID` for a name that was given, or a node that was started; other faults
   *   of schedules are told by `start`
   */
  cron<Transaction = EntityManager>(
    expression: string,
    options: CodeScheduleOptions,
    handle: TaskHandler<unknown, Transaction>,
  ): this {
    const where = `cron("${String(expression)}")`;
    return this.addSchedule(where, codeSchedule({ cron: expression }, options), handle as TaskHandler<never, never>);
  }

  /**
   * The same at an interval: milliseconds of at least 1,000, or a text such as `"15m"`.
   *
   * @example node.interval("30s", { name: "poll", kind: "delay" }, async (task, ctx) => poll())
   */
  interval<Transaction = EntityManager>(
    interval: DurationInput,
    options: CodeIntervalOptions,
    handle: TaskHandler<unknown, Transaction>,
  ): this {
    const where = `interval("${String(interval)}")`;
    return this.addSchedule(where, codeInterval(interval, options, where), handle as TaskHandler<never, never>);
  }

  /**
   * Starts the node; a second call is the first one again. Resolves when it is ready, or was stopped meanwhile: while
   * Postgres is away it waits, and says so in the log.
   *
   * @throws TickwheelError what waiting cannot cure: schedules in the code with faults, a right that is missing, a
   *   version, a password, a type that is run otherwise. The connections are closed then
   */
  start(): Promise<void> {
    this.starting ??= this.begin();
    return this.starting;
  }

  /**
   * Takes no new task, lets those that run come to their end as long as `drainTimeoutMs`, and closes the connections.
   * Nothing of it keeps the process alive then. A second call is the first one again; a node that was stopped stays so.
   */
  stop(): Promise<void> {
    this.stopping ??= this.end();
    return this.stopping;
  }

  /**
   * Whether work may be sent here: started, not draining, and Postgres answers, which is asked once a second at most.
   */
  isReady(): Promise<boolean> {
    return this.node.isReady();
  }

  /** What this node has counted and measured since it was made, by the catalogue of metrics. Never throws. */
  metrics(): Promise<MetricReading[]> {
    return this.node.metrics();
  }

  private async begin(): Promise<void> {
    if (this.stopping !== null) throw invalid("A node that was stopped stays so: create another.");
    try {
      this.node.use([...this.handlers.values()], this.listeners, this.schedules);
      await this.node.start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  private async end(): Promise<void> {
    await this.node.stop();
    await this.node.close();
  }

  private addSchedule(where: string, { schedule, handler }: CodeSchedule, handle: TaskHandler<never, never>): this {
    this.requireNew(where);
    this.add({ type: schedule.type, where, options: handler }, handle);
    this.schedules.push({ ...schedule, where });
    return this;
  }

  private add(given: Omit<NodeHandler, "handle" | "condition">, handle: TaskHandler<never, never>): this {
    const { type, where, options } = given;
    const condition = options.condition as NodeHandler["condition"];
    requireFunction(handle, where);
    if (this.handlers.has(type)) throw invalid(`${where}: the type "${type}" has a handler, and one is allowed.`);
    const handler = { ...given, handle: handle as unknown as NodeHandler["handle"], condition };
    // For its faults, which are told here, where they were made.
    nodeTypeOf(handler, this.node.options.namespace);
    this.handlers.set(type, handler);
    return this;
  }

  /** A node announces what it runs when it starts; what comes later would be passed over in silence. */
  private requireNew(where: string): void {
    if (this.starting !== null || this.stopping !== null)
      throw invalid(`${where}: the node was started or stopped already; give it all before its start.`);
  }
}

function requireFunction(value: unknown, where: string): void {
  if (typeof value !== "function") throw invalid(`${where} must be given a function.`);
}

function invalid(message: string): TickwheelError {
  return new TickwheelError("CONFIGURATION_INVALID", message);
}
