import { type Fault, type KeptAsGiven, TickwheelError } from "@tickwheel/core";
import {
  type CancelledTask,
  type ManagerOption,
  type TaskDefinition,
  type TaskOptions,
  type TaskView,
  throwFaults,
} from "@tickwheel/calls";
import type { DelayTaskService, ScheduledTask } from "@tickwheel/node";
import { dataFaults, type DelayedMessage, type DelayedPattern, nameFaults, patternFaults, taskKey } from "./message.js";

/** Options of {@link DelayedClient.emit}: those of a task. Its `key` belongs to its pattern. */
export type DelayedEmitOptions = TaskOptions & {
  /** The client publishes it, and nobody else. No default. */
  deliver?: null | undefined;
};

/** A key that is refused: so a call with faults gets those of all other fields too, and writes nothing. */
const NO_KEY = "";

/**
 * Publishes messages of a client of `@nestjs/microservices` later. Each is a task of Tickwheel until its time: it is in
 * Postgres, it can be cancelled by its key, and it is published at least once.
 *
 * Bad input is a `TickwheelError` `VALIDATION_FAILED` that names every fault.
 *
 * @example
 * constructor(@InjectDelayedClient("ORDERS") private readonly orders: DelayedClient) {}
 * …
 * await this.orders.emit("order.expired", { id: order.id }, { delay: "15m", key: order.id });
 * await this.orders.cancel("order.expired", order.id);
 */
export class DelayedClient {
  /** @param task the tasks that publish by this client */
  constructor(
    private readonly tasks: DelayTaskService,
    private readonly task: TaskDefinition<DelayedMessage<unknown>>,
  ) {}

  /** The type of the tasks that publish by this client. */
  get type(): string {
    return this.task.type;
  }

  /**
   * Publishes a message later, in place of `client.emit(pattern, data)`.
   *
   * @example await this.orders.emit({ event: "expired" }, { id: "42" }, { delay: "15m", key: "42", manager });
   * @param pattern a text, or a plain JSON object of at most 8 levels
   * @param data any JSON but null; with its pattern at most 64 KiB
   * @param options those of `DelayTaskService.schedule`; `key`: with its pattern at most 255 characters, and at most
   *   one live message of the pattern has it
   * @returns what became of the call, with the task
   * @throws TickwheelError as `DelayTaskService.schedule` does
   */
  async emit<Data>(
    pattern: DelayedPattern,
    data: KeptAsGiven<Data>,
    options: DelayedEmitOptions = {},
  ): Promise<ScheduledTask> {
    const { key } = options;
    const isNamed = key !== undefined && key !== null;
    const faults = [...(isNamed ? nameFaults(pattern, key) : patternFaults(pattern)), ...dataFaults(data)];
    try {
      if (faults.length > 0)
        return await this.tasks.schedule(this.task, { pattern: "", data }, { ...options, key: NO_KEY });
      const named = isNamed ? taskKey(pattern, key) : null;
      return await this.tasks.schedule(this.task, { pattern, data }, { ...options, key: named });
    } catch (error) {
      throw withFaults(error, faults);
    }
  }

  /**
   * Cancels the live message of a pattern and a key. One that is just being published may still be.
   *
   * @param options `manager`: the transaction to join
   * @returns what became of the call, as `DelayTaskService.cancelByKey` tells it
   * @throws TickwheelError `VALIDATION_FAILED`, `STORE_UNAVAILABLE`
   */
  async cancel(pattern: DelayedPattern, key: string, options: ManagerOption = {}): Promise<CancelledTask> {
    throwFaults(nameFaults(pattern, key));
    return this.tasks.cancelByKey(this.task, taskKey(pattern, key), options);
  }

  /**
   * The newest message of a pattern and a key, as a task: also one that was published or cancelled, while finished
   * tasks are kept.
   *
   * @param options `manager`: the transaction to read in
   * @returns null: there is none
   * @throws TickwheelError `VALIDATION_FAILED`, `STORE_UNAVAILABLE`
   */
  async get(
    pattern: DelayedPattern,
    key: string,
    options: ManagerOption = {},
  ): Promise<TaskView<DelayedMessage<unknown>> | null> {
    throwFaults(nameFaults(pattern, key));
    const { items } = await this.tasks.find(this.task, { key: taskKey(pattern, key), limit: 1 }, options);
    return items[0] ?? null;
  }
}

/** The error with the faults of a message's own, and those of its task at the places that `emit` knows. */
function withFaults(error: unknown, faults: readonly Fault[]): unknown {
  if (!(error instanceof TickwheelError) || error.faults.length === 0) return error;
  const own = new Set(faults.map(({ path }) => path));
  const ofTask = error.faults
    .map(({ path, message }) => ({ path: path.replace(/^payload\./, ""), message }))
    .filter(({ path }) => !(faults.length > 0 && path === "key") && ![...own].some((known) => isWithin(path, known)));
  try {
    throwFaults([...faults, ...ofTask]);
    return error;
  } catch (all) {
    return all;
  }
}

/** Whether a place is another one, or a place in it. */
function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`);
}
