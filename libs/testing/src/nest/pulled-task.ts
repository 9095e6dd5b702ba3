import { type DurationInput, type Json, jsonTextOf, parseDurationMs, type TaskState } from "@tickwheel/core";
import type { Claim, NodeQueues, PulledClaim } from "@tickwheel/engine";

/** A task that a test has fetched as a consumer does. */
export class PulledTask<Payload = unknown> {
  constructor(
    private readonly queues: NodeQueues,
    private readonly claim: Claim,
    private readonly namespace: string,
  ) {}

  get id(): string {
    return this.claim.task.id;
  }

  /** From 1. */
  get attempt(): number {
    return this.claim.task.attempt;
  }

  get payload(): Payload {
    return JSON.parse(this.claim.task.payload) as Payload;
  }

  /** It has succeeded. @throws TickwheelError `LEASE_LOST` */
  async complete(result?: Json): Promise<TaskState> {
    const text = result === undefined ? null : jsonTextOf(result);
    return (await this.queues.complete(await this.claimed(), text)).state;
  }

  /**
   * The attempt has failed: `scheduled` again after its backoff, or `dead`. @throws TickwheelError `LEASE_LOST`
   *
   * @param how `retryable: false`: another attempt is of no use; `retryAfter`: the wait before the next one
   */
  async fail(
    error: string,
    { retryable = true, retryAfter }: { retryable?: boolean; retryAfter?: DurationInput } = {},
  ): Promise<TaskState> {
    const retryAfterMs = retryAfter === undefined ? undefined : (parseDurationMs(retryAfter) ?? undefined);
    return (await this.queues.fail(await this.claimed(), { error, retryable, retryAfterMs })).state;
  }

  /** Gives it back: it is due at once, and the attempt does not count. @throws TickwheelError `LEASE_LOST` */
  async release(): Promise<TaskState> {
    return (await this.queues.release(await this.claimed())).state;
  }

  /** The lease lasts for so long from now. @throws TickwheelError `LEASE_LOST`, `CANCEL_REQUESTED` */
  async extend(duration: DurationInput): Promise<Date> {
    const leaseMs = parseDurationMs(duration) ?? 0;
    return new Date((await this.queues.extend(await this.claimed(), leaseMs)).leaseUntil);
  }

  private claimed(): Promise<PulledClaim> {
    return this.queues.claimOf(this.claim.token, this.namespace);
  }
}
