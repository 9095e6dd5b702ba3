import { expect, test } from "@jest/globals";
import { JSON_NULL, type NewTask } from "@tickwheel/core";
import type { TaskRequest } from "./requests.js";
import { draftTask } from "./task-draft.js";

/** Everything that may be asked: a field that is forgotten here does not compile. */
const EVERYTHING: Required<TaskRequest> = {
  namespace: "shop",
  type: "order.cancel",
  payload: JSON_NULL,
  due: { delayMs: 1_000 },
  startDeadlineMs: 60_000,
  key: "42",
  onConflict: "merge",
  reducers: { count: "add" },
  judge: () => [],
  maxWaitMs: 5_000,
  priority: 2,
  maxAttempts: 4,
  backoff: { kind: "fixed", delayMs: 500 },
  timeoutMs: 9_000,
  outbound: null,
  isPulled: false,
  payloadVersion: 3,
  trace: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
  tags: ["vip"],
  laterMs: [7_000],
  idempotency: null,
  actor: "key:1",
};

/** What a draft says of its task; batches and folds say the rest. A field that is forgotten here does not compile. */
const SAID: Record<Exclude<keyof NewTask, "batchId" | "shard" | "folded">, true> = {
  id: true,
  typeId: true,
  key: true,
  payload: true,
  due: true,
  startDeadlineMs: true,
  onConflict: true,
  reducers: true,
  judge: true,
  maxWaitMs: true,
  priority: true,
  maxAttempts: true,
  backoff: true,
  timeoutMs: true,
  given: true,
  delivery: true,
  tags: true,
  laterMs: true,
  actor: true,
};

test("a draft of a task has every field that may be asked for", () => {
  const draft = draftTask(EVERYTHING, {}, { id: "id", typeId: 7, maxWebhookTimeoutMs: 60_000 });
  expect(Object.keys(draft).toSorted()).toEqual(Object.keys(SAID).toSorted());
});
