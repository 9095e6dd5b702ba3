import { type Fault, parseDurationMs, parseInstant } from "@tickwheel/core";
import type { BatchRequest, TaskRequest } from "@tickwheel/engine";
import {
  type BatchInput,
  batchInput,
  checkInput,
  type DeadlineInput,
  isGiven,
  MAX_MEMBERS_OF_CALL,
  throwFaults,
} from "@tickwheel/contract";
import { type BulkCaller, checkTask } from "./bulk-check.js";
import { eachOf } from "./many.js";

/**
 * Reads a batch. Its members are checked in turns of some milliseconds: there may be many.
 *
 * @throws TickwheelError `VALIDATION_FAILED` with every fault: of its fields, of its members (`tasks[3].delay`), and of
 *   the tasks at its end (`onComplete.type`); `PAYLOAD_TOO_LARGE`
 */
export async function toBatchRequest(value: unknown, caller: BulkCaller): Promise<BatchRequest> {
  const { input, faults } = checkInput(batchInput, value);
  const reader = new BatchTasks(caller);
  const tasks = await reader.members(input);
  const onComplete = reader.followUp(input.onComplete, "onComplete");
  const onSuccess = reader.followUp(input.onSuccess, "onSuccess");
  throwFaults([...faults, ...reader.faults]);
  const { namespace, actor } = caller;
  const { name = null, shards = null, failFast, retryDead, seal, deadline } = input;
  return {
    namespace,
    actor,
    name,
    shards,
    tasks,
    onComplete,
    onSuccess,
    deadline: isGiven(deadline) ? deadlineOf(deadline) : null,
    failFast: failFast ?? false,
    retryDead: retryDead ?? false,
    seal: seal ?? false,
  };
}

/** Reads the tasks of a batch, and collects what is wrong with them. */
class BatchTasks {
  readonly faults: Fault[] = [];

  constructor(private readonly caller: BulkCaller) {}

  /** Where the list is no list, or is too long, no item is read: that is a fault of the list. */
  async members({ tasks, shards }: BatchInput): Promise<TaskRequest[]> {
    if (!Array.isArray(tasks) || tasks.length > MAX_MEMBERS_OF_CALL) return [];
    const kind = isGiven(shards) ? "shard" : "member";
    let index = 0;
    const read = await eachOf(tasks as readonly unknown[], (task) =>
      this.read(task, `tasks[${index++}]`, { ...this.caller, kind }),
    );
    return read.filter((request) => request !== null);
  }

  followUp(task: unknown, path: string): TaskRequest | null {
    return isGiven(task) ? this.read(task, path, { ...this.caller, kind: "follow-up" }) : null;
  }

  private read(task: unknown, path: string, caller: BulkCaller): TaskRequest | null {
    const checked = checkTask(task, path, caller);
    this.faults.push(...checked.faults);
    return checked.request;
  }
}

function deadlineOf(deadline: DeadlineInput): NonNullable<BatchRequest["deadline"]> {
  const delayMs = deadline instanceof Date ? null : parseDurationMs(deadline);
  return delayMs === null ? { at: parseInstant(deadline)! } : { delayMs: Math.round(delayMs) };
}
