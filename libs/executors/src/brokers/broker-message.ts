import { brokerOf, type ClaimedTask, type TaskType, type TraceContext } from "@tickwheel/core";
import { signedHeaders, traceHeaders } from "../webhooks/webhook-request.js";
import type { BrokerMessage } from "./broker-connection.js";

/** What is published, for whom, and when. */
export interface Publishing {
  task: ClaimedTask;
  type: TaskType;
  trace: TraceContext | null;
  subject: string;
  /** Epoch milliseconds of this attempt. */
  atMs: number;
}

/**
 * The message of a task: its payload as it is, so that consumers need not know who sends it. The headers say the rest:
 * those of a webhook (`webhook-id` is the task's id), the trace, the task's own, and `tickwheel-type`, `-namespace`,
 * `-key`, `-attempt` and `-fence`. Namespace and key are percent-encoded, since headers are ASCII.
 *
 * @param secrets as of webhooks; none: it is not signed
 */
export function brokerMessage(
  { task, type, trace, subject, atMs }: Publishing,
  secrets: readonly string[],
): BrokerMessage {
  const { id, key, attempt, fence } = task;
  const body: string = task.payload;
  const own = brokerOf(task)?.headers ?? {};
  const headers = {
    ...traceHeaders(trace, own),
    ...own,
    "content-type": "application/json",
    "tickwheel-type": type.type,
    "tickwheel-namespace": encodeURIComponent(type.namespace),
    ...(key !== null && { "tickwheel-key": encodeURIComponent(key) }),
    "tickwheel-attempt": String(attempt),
    "tickwheel-fence": String(fence),
    ...signedHeaders({ id, body, atMs }, secrets),
  };
  return { id, type: type.type, key: key ?? id, subject, headers, body, atMs };
}
