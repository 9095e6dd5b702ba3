import {
  type BrokerDelivery,
  type Execution,
  type ExecutionResult,
  type Json,
  jsonTextOf,
  SystemClock,
} from "@tickwheel/core";
import { BrokerExecutor, type BrokerTarget, BrokerTargets } from "@tickwheel/executors";

/** A node's way to one broker, without the node. Its breaker opens as on a node. */
export class Publishing {
  private readonly executor: BrokerExecutor;
  private published = 0;

  constructor(private readonly target: BrokerTarget) {
    const targets = new BrokerTargets({ shop: { subjects: ["*"], ...target } });
    this.executor = new BrokerExecutor({ targets }, new SystemClock());
  }

  /** @param payload a value; a text of the given length where it is a number */
  publish(
    payload: Json | number = { order: 7 },
    delivery: Partial<BrokerDelivery> & { id?: string } = {},
  ): Promise<ExecutionResult> {
    const { id = `task-${this.published++}`, ...more } = delivery;
    const value = typeof payload === "number" ? "x".repeat(payload) : payload;
    return this.executor.run(executionOf(id, jsonTextOf(value), { kind: this.target.kind, to: "shop", ...more }));
  }

  close(): void {
    this.executor.close();
  }
}

function executionOf(id: string, payload: Execution["task"]["payload"], delivery: BrokerDelivery): Execution {
  const now = Date.now();
  return {
    type: { id: 1, namespace: "default", type: "order.expire", delivery: "broker" },
    startedAt: now,
    foundBy: "wheel",
    signal: new AbortController().signal,
    committed: () => undefined,
    task: {
      id,
      owner: "1",
      fence: 2,
      typeId: 1,
      key: "order-7",
      payload,
      attempt: 1,
      maxAttempts: 3,
      scheduledAt: now,
      dueAt: now,
      createdAt: now,
      claimedAt: now,
      crashCount: 0,
      snoozeCount: 0,
      given: 0,
      priority: 5,
      timeoutMs: 60_000,
      backoff: { kind: "fixed", delayMs: 1 },
      delivery,
    },
  };
}
