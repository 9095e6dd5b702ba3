import {
  type CallerTransaction,
  type CancelledRef,
  type CancelReply,
  type CancelRequest,
  type EditReply,
  type EditRequest,
  type EpochMs,
  type PauseReply,
  type PauseRequest,
  isOccurrence,
  isTaskId,
  isWaitingState,
  type RetryReply,
  type RetryRequest,
  type Task,
  type TaskState,
  type TaskTarget,
  TERMINAL_STATES,
  TickwheelError,
} from "@tickwheel/core";
import { SQL_STATE, sqlStateOf } from "../connection/driver-errors.js";
import type { Session, Statement } from "../connection/session.js";
import { type CancelScheduledTasks } from "../statements/request/cancel-scheduled-tasks.js";
import { cancelTask } from "../statements/request/cancel-task.js";
import { editTask } from "../statements/request/edit-task.js";
import { findKeyHolder } from "../statements/request/find-key-holder.js";
import { pauseTask, resumeTask } from "../statements/request/pause-tasks.js";
import { findTasksById } from "../statements/read/find-tasks-by-id.js";
import { retryTask } from "../statements/request/retry-task.js";

/** What writes a request of a person or a program. */
export interface RequestWriter {
  session: Session;
  /** The caller's transaction, if it is one. */
  within: CallerTransaction | null;
  lockTimeoutMs: number | null;
  asOf: EpochMs | null;
}

const MAX_ATTEMPTS = 3;

/**
 * Cancels a task, or answers why not. If the task is retried between the refusal and the look for its reason, the whole
 * is tried again.
 */
export async function cancel(writer: RequestWriter, { target, actor }: CancelRequest): Promise<CancelReply> {
  const { session, lockTimeoutMs, asOf } = writer;
  return repeatedly(async () => {
    const [changed] = await session.run(cancelTask, { target, actor, lockTimeoutMs, asOf });
    if (changed) return { outcome: changed.state === "running" ? "cancel_requested" : "cancelled", task: changed };
    const task = await findTarget(session, target);
    if (!task) return { outcome: "not_found" };
    if (isWaitingState(task.state)) return null;
    if (task.state === "running") return task.cancelRequestedAt === null ? null : { outcome: "cancel_requested", task };
    return { outcome: task.state === "cancelled" ? "cancelled" : "too_late", task };
  });
}

/** Cancels those of these tasks that are scheduled and that nobody has locked; null for each of the others. */
export async function cancelScheduled<Told extends CancelledRef>(
  session: Session,
  statement: Statement<CancelScheduledTasks, Told>,
  { requests, ...how }: CancelScheduledTasks,
): Promise<(Told | null)[]> {
  const known = requests.filter(({ id }) => isTaskId(id));
  if (known.length === 0) return requests.map(() => null);
  const cancelled = await session.run(statement, { requests: known, ...how });
  const byId = new Map(cancelled.map((task) => [task.id, task]));
  return requests.map(({ id, namespace }) => {
    const task = byId.get(id.toLowerCase());
    return task?.namespace === namespace ? task : null;
  });
}

export async function edit(writer: RequestWriter, request: EditRequest): Promise<EditReply> {
  const { session, lockTimeoutMs, asOf } = writer;
  return repeatedly(async () => {
    const [live] = await session.run(editTask, { ...request, lockTimeoutMs, asOf });
    if (live?.changed) return { outcome: "changed", task: live.task };
    if (live)
      return { outcome: isEditable(live.task, request) ? "version_mismatch" : "state_conflict", task: live.task };
    const task = await findById(session, request);
    if (!task) return { outcome: "not_found" };
    return isTerminal(task) ? { outcome: "state_conflict", task } : null;
  });
}

/** Pauses a task, or answers why not. */
export function pause(writer: RequestWriter, request: PauseRequest): Promise<PauseReply> {
  return pauseOrResume(writer, request, { statement: pauseTask, state: "paused" });
}

/** Resumes a task, or answers why not. */
export function resume(writer: RequestWriter, request: PauseRequest): Promise<PauseReply> {
  return pauseOrResume(writer, request, { statement: resumeTask, state: "scheduled" });
}

async function pauseOrResume(
  { session, lockTimeoutMs, asOf }: RequestWriter,
  { target, actor }: PauseRequest,
  { statement, state }: { statement: typeof pauseTask; state: TaskState },
): Promise<PauseReply> {
  return repeatedly(async () => {
    const [live] = await session.run(statement, { target, actor, lockTimeoutMs, asOf });
    if (live?.changed) return { outcome: "changed", task: live.task };
    if (live) return { outcome: refusalOf(live.task, state), task: live.task };
    const task = await findTarget(session, target);
    if (!task) return { outcome: "not_found" };
    return isTerminal(task) ? { outcome: "state_conflict", task } : null;
  });
}

/** Why a task was not brought to `state`. */
function refusalOf(task: Task, state: TaskState): "unchanged" | "occurrence" | "state_conflict" {
  if (state === "paused" && task.state === "scheduled" && isOccurrence(task)) return "occurrence";
  return task.state === state ? "unchanged" : "state_conflict";
}

export async function retry(writer: RequestWriter, request: RetryRequest): Promise<RetryReply> {
  const { session, lockTimeoutMs, asOf } = writer;
  return repeatedly(async () => {
    const attempt = () => session.run(retryTask, { ...request, lockTimeoutMs, asOf });
    const retried = await orKeyTaken(writer.within, attempt);
    if (retried !== "key_taken" && retried[0]) return { outcome: "scheduled", task: retried[0] };
    const task = await findById(session, request);
    if (!task) return { outcome: "not_found" };
    if (!isTerminal(task)) return { outcome: "state_conflict", task };
    return retried === "key_taken" ? { outcome: "key_conflict", task } : null;
  });
}

/** A taken key causes a unique violation. A savepoint keeps it from ending the caller's whole transaction. */
async function orKeyTaken(
  within: CallerTransaction | null,
  attempt: () => Promise<Task[]>,
): Promise<Task[] | "key_taken"> {
  await within?.query("SAVEPOINT tickwheel_retry");
  try {
    const retried = await attempt();
    await within?.query("RELEASE SAVEPOINT tickwheel_retry");
    return retried;
  } catch (error) {
    if (sqlStateOf(error) !== SQL_STATE.uniqueViolation) throw error;
    await within?.query("ROLLBACK TO SAVEPOINT tickwheel_retry");
    return "key_taken";
  }
}

async function repeatedly<Reply>(attempt: () => Promise<Reply | null>): Promise<Reply> {
  for (let count = 1; count <= MAX_ATTEMPTS; count++) {
    const reply = await attempt();
    if (reply !== null) return reply;
  }
  throw new TickwheelError("STORE_UNAVAILABLE", "The task changed each time that it was looked at: try again");
}

async function findTarget(session: Session, target: TaskTarget): Promise<Task | undefined> {
  if ("id" in target) return findById(session, target);
  return (await session.run(findKeyHolder, target))[0];
}

async function findById(
  session: Session,
  { namespace, id }: { namespace: string; id: string },
): Promise<Task | undefined> {
  return (await session.run(findTasksById, { namespace, ids: [id] }))[0];
}

function isEditable(task: Task, { isForScheduledOnly = false }: EditRequest): boolean {
  return isWaitingState(task.state) && !(isForScheduledOnly && task.state === "paused");
}

function isTerminal({ state }: Task): boolean {
  return TERMINAL_STATES.includes(state);
}
