import { asDate, type Caller, resultOf, type TaskView, toTaskView } from "@tickwheel/calls";
import { type Json, jsonValueOf, type Task } from "@tickwheel/core";
import type { DelayTaskNode } from "../node/delay-task.node.js";

/** The application itself: its code may do everything in its namespace. */
export function applicationOf({ options: { namespace } }: DelayTaskNode): Caller {
  return { namespace, actor: "application", rights: "admin", cluster: true };
}

/** A task as code sees it. */
export function shownTask<Payload = Json>(task: Task, { service }: DelayTaskNode): TaskView<Payload> {
  const { payload, result } = task;
  const values = { payload: jsonValueOf(payload) as Payload, result: resultOf(result) };
  return toTaskView(task, { ...values, waitingFor: service.waitingFor(task) }, asDate);
}
