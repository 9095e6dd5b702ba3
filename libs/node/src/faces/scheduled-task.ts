import type { TaskResult, TaskView } from "@tickwheel/calls";
import type { Json } from "@tickwheel/core";
import type { TaskEnd, WaitOptions } from "./task-shapes.js";

/** What became of a call for one task, with the task as it was then; {@link result} waits for its end. */
export class ScheduledTask<Payload = Json> implements TaskResult<TaskView<Payload>> {
  readonly outcome: TaskResult["outcome"];
  readonly task: TaskView<Payload>;
  readonly replayed: boolean;
  readonly #wait: (options: WaitOptions | undefined) => Promise<TaskEnd<never>>;

  constructor(
    result: TaskResult<TaskView<Payload>>,
    wait: (options: WaitOptions | undefined) => Promise<TaskEnd<never>>,
  ) {
    this.outcome = result.outcome;
    this.task = result.task;
    this.replayed = result.replayed;
    this.#wait = wait;
  }

  /**
   * Waits until the task has ended, as `DelayTaskService.result` does. Where the task was written in a caller's
   * transaction, it waits only after the commit: before, there is no such task.
   *
   * @example const end = await (await delayTasks.schedule(PriceCart, { cartId })).result<number>({ timeout: "5s" });
   */
  result<Result = Json>(options?: WaitOptions): Promise<TaskEnd<Result>> {
    return this.#wait(options);
  }
}

/** How a task stands, as a wait for its end tells it. */
export function endOf<Result>(task: TaskView): TaskEnd<Result> {
  const { id, state } = task;
  if (state === "succeeded") return { outcome: state, id, result: task.result as Result, task };
  if (state === "dead" || state === "cancelled" || state === "expired") return { outcome: state, id, task };
  return { outcome: "pending", id, task };
}
