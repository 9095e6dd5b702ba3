import {
  type Clock,
  errorText,
  type Execution,
  type ExecutionResult,
  type Executor,
  type TaskType,
} from "@tickwheel/core";
import { HostBreakers } from "./host-breakers.js";
import { isAllowedHost } from "./allowed-hosts.js";
import { resultOfResponse, webhookRequest } from "./webhook-request.js";

export interface WebhookOptions {
  /** `host` or `host:port`; a delivery to anything else is refused for good. */
  allowedHosts: readonly string[];
  /** Signing secrets, the newest first; none: deliveries are not signed. */
  secrets?: readonly string[];
}

/** The longest answer that is read, in bytes. */
export const MAX_RESPONSE_BYTES = 65_536;

/**
 * Delivers tasks as HTTP POSTs, behind one circuit breaker per host: while a host is down its tasks are deferred and no attempt is
 * charged. Redirects are not followed. The task's own time-out bounds the call. Never throws.
 */
export class WebhookExecutor implements Executor {
  private readonly breakers: HostBreakers;

  constructor(
    private readonly options: WebhookOptions,
    private readonly clock: Clock,
  ) {
    this.breakers = new HostBreakers(clock);
  }

  canRun(type: TaskType): boolean {
    return type.delivery === "webhook";
  }

  limits(): { concurrency?: number } {
    return {};
  }

  /** Stops the breakers' timers. */
  close(): void {
    this.breakers.close();
  }

  async run(execution: Execution): Promise<ExecutionResult> {
    const target = execution.task.webhook?.url ?? "";
    const url = URL.canParse(target) ? new URL(target) : null;
    if (!url || !isAllowedHost(url, this.options.allowedHosts))
      return {
        kind: "failed",
        error: `The webhook host of ${url?.host ?? "this task"} is not allowed on this node`,
        retryable: false,
      };
    return this.breakers.call(url.host, () => this.deliver(url, execution));
  }

  private async deliver(url: URL, execution: Execution): Promise<{ result: ExecutionResult; hostFailed: boolean }> {
    const startedMonoMs = this.clock.monotonicMs();
    const nowMs = (): number => execution.startedAt + this.clock.monotonicMs() - startedMonoMs;
    const { headers, body } = webhookRequest(execution, this.options.secrets ?? [], execution.startedAt);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers,
        body,
        redirect: "manual",
        signal: execution.signal,
      });
      const answer = {
        status: response.status,
        retryAfter: response.headers.get("retry-after"),
        body: await readBounded(response),
      };
      return { result: resultOfResponse(answer, nowMs()), hostFailed: answer.status >= 500 || answer.status === 429 };
    } catch (error) {
      // An abort of ours (cancel, drain) says nothing about the host; its time-out does.
      const ours =
        execution.signal.aborted && (execution.signal.reason as Error | undefined)?.name !== "ExecutionTimeoutError";
      return { result: { kind: "failed", error: describe(error), retryable: true }, hostFailed: !ours };
    }
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error(`The webhook's answer is longer than ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `The webhook could not be delivered: ${error instanceof Error ? error.message : errorText(error)}${cause}`;
}
