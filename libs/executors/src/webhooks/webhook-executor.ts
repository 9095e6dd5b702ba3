import {
  type Clock,
  DEFAULT_OPTIONS,
  type Execution,
  type ExecutionResult,
  type Executor,
  type TaskType,
  type TraceContext,
  traceOf,
  webhookOf,
} from "@tickwheel/core";
import { type AllowedHosts, isWebhookUrl } from "./allowed-hosts.js";
import { type BreakerStates, type Destination, HostBreakers } from "./host-breakers.js";
import { messageOf, untilNextLookMs } from "./sending.js";
import { NameLookup, type NameLookupOptions } from "./name-lookup.js";
import { AddressRefusedError, UnsendableError, WebhookClient } from "./webhook-client.js";
import { resultOfResponse, webhookRequest } from "./webhook-request.js";

export interface WebhookOptions extends NameLookupOptions {
  /** Where this node delivers to. */
  hosts: AllowedHosts;
  /** Signing secrets, the newest first; none: deliveries are not signed. */
  secrets?: readonly string[];
  /** Whether this node leaves all deliveries to others, since it has no secrets and they have. Default: it does not. */
  leavesToSigners?: () => boolean;
  /** The context of a run's span, which deliveries carry on. Default, and where it is null: that of the task. */
  currentTrace?: () => TraceContext | null;
  /** How long a host is to be left alone, in milliseconds; 0: it may be called. Default: nobody has asked for it. */
  restMs?: (to: Destination) => number;
  /** Deliveries to one host at once, at most. Default: no bound but the node's. */
  placesPerHost?: number;
  /** The largest result that is kept, in bytes. Default: that of `DEFAULT_OPTIONS`. */
  resultLimitBytes?: number;
}

/**
 * A delivery that is cut off sooner says nothing about its host, however many there are: the time-out is whatever its
 * creator asked for.
 */
const PATIENCE_MS = 5_000;
const HAS_NO_SECRETS = "another node signs webhooks, and this one has no webhookSecrets";
const NOT_LISTED = "is not among this node's webhookAllowedHosts";
/** The longest pause before a task is due again that this node may not deliver, in milliseconds. */
const MOST_PAUSE_MS = 600_000;

/**
 * Delivers tasks as HTTP POSTs, behind one circuit breaker per namespace and host: while a host is down its tasks are
 * deferred and no attempt is charged. So they are while a host rests that has asked for it. Redirects are not followed.
 * The task's own time-out bounds the call. Never throws.
 *
 * A breaker counts what the host does: answers of 500 and more, connections that fail, and its silence of five seconds
 * or more. An attempt that fails before it is sent is the task's own fault: where trying again cannot cure it, the task
 * ends, and its error says why.
 *
 * What this node may not deliver is left to nodes that may. A host that it does not list costs no attempt: the node
 * that took the task in listed it. Nor do secrets that it has not, while others have some: a receiver that checks
 * signatures would refuse what is unsigned.
 */
export class WebhookExecutor implements Executor {
  private readonly breakers: HostBreakers;
  private readonly client: WebhookClient;

  constructor(
    private readonly options: WebhookOptions,
    private readonly clock: Clock,
  ) {
    this.breakers = new HostBreakers(clock, { placesPerHost: options.placesPerHost, restMs: options.restMs });
    this.client = new WebhookClient(options.hosts, new NameLookup(clock, options));
  }

  canRun(type: TaskType): boolean {
    return type.delivery === "webhook";
  }

  limits(): { concurrency?: number } {
    return {};
  }

  /** How many hosts' breakers are in which state. */
  breakerStates(): BreakerStates {
    return this.breakers.states();
  }

  /** Stops the breakers' timers, ends what is being looked up and closes idle connections. */
  close(): void {
    this.breakers.close();
    this.client.close();
  }

  async run(execution: Execution): Promise<ExecutionResult> {
    const target = webhookOf(execution.task)?.url ?? "";
    const url = URL.canParse(target) ? new URL(target) : null;
    if (!url || !isWebhookUrl(url))
      return { kind: "failed", error: "The webhook's URL leads nowhere", retryable: false };
    const forOthers = this.reasonToLeave(url);
    if (forOthers !== null) return { kind: "deferred", delayMs: untilNextLookMs(execution, MOST_PAUSE_MS), forOthers };
    const { namespace } = execution.type;
    // Asked here: its turn may come in the context of another one.
    const trace = this.options.currentTrace?.() ?? traceOf(execution.task);
    return this.breakers.call({ host: url.host, namespace }, () => this.deliver(url, execution, trace));
  }

  private reasonToLeave(url: URL): string | null {
    if (this.options.leavesToSigners?.()) return HAS_NO_SECRETS;
    return this.options.hosts.permits(url) ? null : `${url.host} ${NOT_LISTED}`;
  }

  private async deliver(
    url: URL,
    execution: Execution,
    trace: TraceContext | null,
  ): Promise<{ result: ExecutionResult; hostFailed: boolean }> {
    const startedMonoMs = this.clock.monotonicMs();
    const turn: Turn = { begunMonoMs: startedMonoMs };
    const onWait = (isWaiting: boolean): void => {
      turn.begunMonoMs = isWaiting ? null : this.clock.monotonicMs();
    };
    const { secrets = [], resultLimitBytes: limitBytes = DEFAULT_OPTIONS.resultLimitBytes } = this.options;
    const { signal, type, task } = execution;
    const request = webhookRequest({ task, type, trace }, secrets, execution.startedAt);
    try {
      const answer = await this.client.post(url, { ...request, namespace: type.namespace, signal, onWait });
      const nowMs = execution.startedAt + this.clock.monotonicMs() - startedMonoMs;
      const { expectBody } = webhookOf(execution.task) ?? {};
      return {
        result: resultOfResponse(answer, { host: url.host, nowMs, limitBytes, expectBody }),
        hostFailed: answer.status >= 500,
      };
    } catch (error) {
      const result = resultOfError(error, signal, turn);
      const isOwn = !result.retryable || result.forOthers !== undefined;
      return { result, hostFailed: signal.aborted ? this.isSilence(signal, turn) : !isOwn };
    }
  }

  /** An abort of ours (cancel, drain) says nothing about the host; its time-out does, where it was a patient one. */
  private isSilence({ reason }: AbortSignal, { begunMonoMs }: Turn): boolean {
    if ((reason as Error | undefined)?.name !== "ExecutionTimeoutError" || begunMonoMs === null) return false;
    return this.clock.monotonicMs() - begunMonoMs >= PATIENCE_MS;
  }
}

/** Since when a host has had the time to answer; null: not yet, other look-ups of the namespace come first. */
interface Turn {
  begunMonoMs: number | null;
}

function resultOfError(error: unknown, signal: AbortSignal, turn: Turn): ExecutionResult & { kind: "failed" } {
  if (error instanceof UnsendableError)
    return { kind: "failed", error: `The webhook cannot be sent: ${error.message}`, retryable: false };
  const cause: unknown = signal.aborted ? signal.reason : error;
  const text = messageOf(cause);
  const waiting =
    signal.aborted && turn.begunMonoMs === null ? ", while other look-ups of its namespace came first" : "";
  return {
    kind: "failed",
    error: `The webhook could not be delivered: ${text}${waiting}`,
    retryable: true,
    ...(error instanceof AddressRefusedError ? { forOthers: error.message } : {}),
  };
}
