import {
  type BrokerKind,
  brokerOf,
  type Clock,
  type Execution,
  type ExecutionResult,
  type Executor,
  type Json,
  type TaskType,
  type TraceContext,
  traceOf,
} from "@tickwheel/core";
import { type BreakerStates, HostBreakers } from "../webhooks/host-breakers.js";
import { messageOf, untilNextLookMs } from "../webhooks/sending.js";
import { BrokerLink, type ConnectBroker } from "./broker-link.js";
import { brokerMessage } from "./broker-message.js";
import { BrokerAwayError, type BrokerMessage, PublishRefusedError } from "./broker-connection.js";
import type { BrokerTarget, BrokerTargets } from "./broker-targets.js";

export interface BrokerOptions {
  /** The brokers of this node, by the names that tasks call them. */
  targets: BrokerTargets;
  /** As of webhooks. */
  secrets?: readonly string[];
  /** As of webhooks. */
  leavesToSigners?: () => boolean;
  /** As of webhooks. */
  currentTrace?: () => TraceContext | null;
  /** Messages under way to one broker, at most. Default: no bound but the node's. */
  placesPerTarget?: number;
  /** How a connection is made. Default: by the client of the target's kind. */
  connect?: ConnectBroker;
  /** Is told when a broker takes nothing any more, and when it does again. Default: nobody is. */
  onChange?: (change: BrokerChange) => void;
}

/** A broker has begun to take nothing from this node, or takes messages again. */
export interface BrokerChange {
  /** The target's name. */
  target: string;
  kind: BrokerKind;
  /** Why it takes nothing; null: it does again. */
  reason: string | null;
  /** How long it took nothing, in milliseconds; 0: it has only begun. */
  lastedMs: number;
}

const HAS_NO_SECRETS = "another node signs what it sends, and this one has no webhookSecrets";
/** When a task is due again that this node may not publish, or whose broker is away, in milliseconds. */
const NEXT_LOOK_MS = { mostOfOthers: 600_000, mostOfAway: 10_000 };

/**
 * Publishes tasks to message brokers. A task succeeds when its broker has confirmed the message, so it arrives at least
 * once; its result says where. The task's id is the message's id on every attempt.
 *
 * While a broker is away, or says that it takes nothing, its tasks are deferred and no attempt is charged. A message
 * that was sent and not confirmed is a failed attempt, since it may have arrived. What the broker refuses is one, too,
 * and does not count against the broker. There is one circuit breaker per namespace and target, as for hosts of
 * webhooks.
 *
 * A task whose target this node does not have is left to nodes that may have it. Never throws.
 */
export class BrokerExecutor implements Executor {
  private readonly links = new Map<BrokerTarget, BrokerLink>();
  private readonly breakers: HostBreakers;
  /** Since when targets take nothing, by their names. */
  private readonly awaySince = new Map<string, number>();

  constructor(
    private readonly options: BrokerOptions,
    private readonly clock: Clock,
  ) {
    this.breakers = new HostBreakers(clock, { placesPerHost: options.placesPerTarget });
  }

  canRun(type: TaskType): boolean {
    return type.delivery === "broker" && !this.options.targets.isEmpty;
  }

  limits(): { concurrency?: number } {
    return {};
  }

  /** How many targets' breakers are in which state. */
  breakerStates(): BreakerStates {
    return this.breakers.states();
  }

  /** Stops the breakers' timers and closes the connections. */
  close(): void {
    this.breakers.close();
    for (const link of this.links.values()) link.close();
  }

  async run(execution: Execution): Promise<ExecutionResult> {
    const delivery = brokerOf(execution.task);
    if (!delivery) return { kind: "failed", error: "The task names no broker", retryable: false };
    const forOthers = this.reasonToLeave(execution);
    if (forOthers !== null)
      return { kind: "deferred", delayMs: untilNextLookMs(execution, NEXT_LOOK_MS.mostOfOthers), forOthers };
    const { type, task, startedAt } = execution;
    const { target, subject } = this.options.targets.resolve(delivery);
    // Asked here: its turn may come in the context of another one.
    const trace = this.options.currentTrace?.() ?? traceOf(task);
    const publishing = { task, type, trace, subject, atMs: startedAt };
    const destination = { host: `broker ${delivery.to}`, namespace: type.namespace };
    return this.breakers.call(destination, () =>
      this.publish(execution, target, brokerMessage(publishing, this.options.secrets ?? [])),
    );
  }

  private reasonToLeave({ task }: Execution): string | null {
    if (this.options.leavesToSigners?.()) return HAS_NO_SECRETS;
    const fault = this.options.targets.faultOf(brokerOf(task)!);
    return fault && `deliver.${fault.field} ${fault.message}`;
  }

  private async publish(
    execution: Execution,
    target: BrokerTarget,
    message: BrokerMessage,
  ): Promise<{ result: ExecutionResult; hostFailed: boolean }> {
    const name = brokerOf(execution.task)!.to;
    try {
      const receipt = await this.linkTo(target).publish(message, execution.signal);
      this.isThere(name, target);
      return { result: { kind: "succeeded", result: resultText(receipt) }, hostFailed: false };
    } catch (error) {
      if (error instanceof BrokerAwayError) {
        this.isAway(name, target, error.message);
        const delayMs = untilNextLookMs(execution, NEXT_LOOK_MS.mostOfAway);
        return { result: { kind: "deferred", delayMs }, hostFailed: true };
      }
      const text = `The broker "${name}"`;
      if (error instanceof PublishRefusedError)
        return {
          result: { kind: "failed", error: `${text} did not take it: ${error.message}`, retryable: !error.isFinal },
          hostFailed: false,
        };
      const unconfirmed = `${text} did not confirm it, it may have arrived: ${messageOf(error)}`;
      return {
        result: { kind: "failed", error: unconfirmed, retryable: true },
        // An abort of ours says nothing about the broker.
        hostFailed: !execution.signal.aborted,
      };
    }
  }

  private isAway(name: string, { kind }: BrokerTarget, reason: string): void {
    if (this.awaySince.has(name)) return;
    this.awaySince.set(name, this.clock.monotonicMs());
    this.options.onChange?.({ target: name, kind, reason, lastedMs: 0 });
  }

  private isThere(name: string, { kind }: BrokerTarget): void {
    const sinceMonoMs = this.awaySince.get(name);
    if (sinceMonoMs === undefined) return;
    this.awaySince.delete(name);
    const lastedMs = Math.round(this.clock.monotonicMs() - sinceMonoMs);
    this.options.onChange?.({ target: name, kind, reason: null, lastedMs });
  }

  private linkTo(target: BrokerTarget): BrokerLink {
    const { clock, options } = this;
    let link = this.links.get(target);
    if (!link) this.links.set(target, (link = new BrokerLink(target, { clock, connect: options.connect })));
    return link;
  }
}

function resultText(receipt: Json): string | null {
  return receipt === null ? null : JSON.stringify(receipt);
}
