import { expect, test } from "@jest/globals";
import { type ClaimedTask, type Execution, jsonTextOf, SystemClock } from "@tickwheel/core";
import { type Handler, type HandlerPorts, HandlerExecutor } from "./handler-executor.js";

const type = { id: 1, namespace: "default", type: "order.cancel", delivery: "handler" } as const;

/** Runs a handler once, for a task whose payload is 5. */
function run(handle: Handler["handle"], more: Partial<Handler>) {
  const ports = { clock: new SystemClock(), runTransaction: null } as unknown as HandlerPorts;
  const executor = new HandlerExecutor(ports, 100);
  executor.register({ namespace: "default", type: "order.cancel", handle, ...more });
  const task = { id: "0198", key: null, payload: jsonTextOf(5), claimedAt: 0, dueAt: 0 } as ClaimedTask;
  const signal = new AbortController().signal;
  const execution: Execution = { type, task, startedAt: 0, foundBy: "wheel", signal, committed: () => {} };
  return executor.run(execution);
}

test("condition and handler get what the handler's `read` makes of the stored payload", async () => {
  const seen: unknown[] = [];
  const read: Handler["read"] = async (stored, version) => ({ payload: { stored, version } });
  const condition: Handler["condition"] = ({ payload }) => seen.push(payload) > 0;
  const result = await run(({ payload }) => void seen.push(payload), { read, condition });
  expect(result.kind).toBe("succeeded");
  expect(seen).toEqual([
    { stored: 5, version: null },
    { stored: 5, version: null },
  ]);
});

test.each([
  [
    { misfit: "no", retryable: false },
    { kind: "failed", error: "no", retryable: false, reason: "PAYLOAD_INVALID" },
  ],
  [
    { misfit: "no", retryable: true },
    { kind: "failed", error: "no", retryable: true, reason: "PAYLOAD_INVALID" },
  ],
])("a handler is not called for a payload that does not fit it (%j)", async (reading, expected) => {
  let calls = 0;
  const result = await run(() => void calls++, { read: async () => reading });
  expect([result, calls]).toEqual([expected, 0]);
});

test("a `read` that throws is a failed attempt", async () => {
  const read = (): Promise<never> => Promise.reject(new Error("no such order"));
  const result = await run(() => 1, { read });
  expect(result).toMatchObject({ kind: "failed", retryable: true, error: expect.stringContaining("no such order") });
});
