import type { Attributes } from "@opentelemetry/api";
import type { CreateFacts, RunFacts } from "@tickwheel/core";

/**
 * Attributes by the semantic conventions of OpenTelemetry for messaging (1.30 and later); our own ones begin with
 * `tickwheel`.
 */
export const ATTRIBUTE = {
  system: "messaging.system",
  operationType: "messaging.operation.type",
  operationName: "messaging.operation.name",
  destination: "messaging.destination.name",
  messageId: "messaging.message.id",
  messageCount: "messaging.batch.message_count",
  errorType: "error.type",
  namespace: "tickwheel.namespace",
  attempt: "tickwheel.attempt",
  fence: "tickwheel.fence",
  node: "tickwheel.node",
  outcome: "tickwheel.outcome",
  reason: "tickwheel.reason",
} as const;

/** What the span of a create tells from its beginning. */
export function createAttributes({ namespace, type, count }: CreateFacts): Attributes {
  return {
    [ATTRIBUTE.system]: "tickwheel",
    [ATTRIBUTE.operationType]: "create",
    [ATTRIBUTE.operationName]: "create",
    [ATTRIBUTE.namespace]: namespace,
    ...(type !== null && { [ATTRIBUTE.destination]: type }),
    ...(count !== undefined && { [ATTRIBUTE.messageCount]: count }),
  };
}

/** What the span of a run tells from its beginning. */
export function runAttributes({ taskId, namespace, type, attempt, fence, node }: RunFacts): Attributes {
  return {
    [ATTRIBUTE.system]: "tickwheel",
    [ATTRIBUTE.operationType]: "process",
    [ATTRIBUTE.operationName]: "process",
    [ATTRIBUTE.destination]: type,
    [ATTRIBUTE.messageId]: taskId,
    [ATTRIBUTE.namespace]: namespace,
    [ATTRIBUTE.attempt]: attempt,
    [ATTRIBUTE.fence]: fence,
    [ATTRIBUTE.node]: node,
  };
}
