import { claimInput, completeInput, extendInput, failInput, requireInput } from "@tickwheel/contract";
import {
  parseDurationMs,
  type EpochMs,
  type HeldLease,
  LEASE_BOUNDS,
  mayClaim,
  shownText,
  TickwheelError,
} from "@tickwheel/core";
import type { Claim, ClaimEnd, PulledClaim } from "@tickwheel/engine";
import { type Caller, type CallPorts, requireAdmin } from "./caller.js";

/** How many claims the report about a type's consumers names. */
const MAX_HELD = 100;

/** What was claimed. */
export interface Claimed {
  claims: Claim[];
  /** The type or its namespace is paused. */
  isPaused: boolean;
}

/**
 * What consumers do, by each kind of call: they fetch tasks and say what became of them. `given` is unchecked: its
 * rules stand in `input/claim-input.ts`. Any call may throw `FORBIDDEN` and `STORE_UNAVAILABLE`.
 */
export class QueueCalls {
  constructor(private readonly ports: Pick<CallPorts, "queues" | "service">) {}

  /**
   * Waits for tasks as long as asked. A caller who goes meanwhile gets none.
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault; `TYPE_NOT_FOUND`, `TYPE_DELIVERY_CONFLICT`,
   *   `RATE_LIMITED`
   */
  async claim(
    caller: Caller,
    { type, given, signal }: { type: string; given: unknown; signal?: AbortSignal | undefined },
  ): Promise<Claimed> {
    requireClaimant(caller, type);
    const input = requireInput(claimInput, given);
    return this.ports.queues.claim(
      { namespace: caller.namespace, type },
      {
        consumer: input.consumer ?? caller.reader ?? caller.actor,
        max: input.max ?? 1,
        waitMs: input.waitMs ?? 0,
        leaseMs: input.leaseMs ?? LEASE_BOUNDS.defaultMs,
        signal,
      },
    );
  }

  /** Gives claims back whose caller has gone before the answer was on its way. Never throws. */
  giveBack(claims: readonly Claim[]): void {
    this.ports.queues.giveBack(claims);
  }

  /** @throws TickwheelError `VALIDATION_FAILED`; `CLAIM_NOT_FOUND`, `LEASE_LOST`, `CANCEL_REQUESTED` */
  async extend(caller: Caller, token: string, given: unknown): Promise<{ leaseUntil: EpochMs }> {
    const { leaseMs } = requireInput(extendInput, given);
    return this.ports.queues.extend(await this.claimOf(caller, token), leaseMs ?? LEASE_BOUNDS.defaultMs);
  }

  /** @throws TickwheelError `VALIDATION_FAILED`; `CLAIM_NOT_FOUND`, `LEASE_LOST` */
  async complete(caller: Caller, token: string, given: unknown): Promise<ClaimEnd> {
    const { result = null } = requireInput(completeInput, given);
    return this.ports.queues.complete(await this.claimOf(caller, token), result === "null" ? null : result);
  }

  /** @throws TickwheelError `VALIDATION_FAILED`; `CLAIM_NOT_FOUND`, `LEASE_LOST` */
  async fail(caller: Caller, token: string, given: unknown): Promise<ClaimEnd> {
    const { error, retryable, retryAfter } = requireInput(failInput, given);
    const retryAfterMs = retryAfter === undefined || retryAfter === null ? undefined : parseDurationMs(retryAfter)!;
    const failure = { error, retryable: retryable ?? true, retryAfterMs };
    return this.ports.queues.fail(await this.claimOf(caller, token), failure);
  }

  /** @throws TickwheelError `CLAIM_NOT_FOUND`, `LEASE_LOST` */
  async release(caller: Caller, token: string): Promise<ClaimEnd> {
    return this.ports.queues.release(await this.claimOf(caller, token));
  }

  /** Who works on tasks of a type, and how many calls wait for them here. @throws TickwheelError `TYPE_NOT_FOUND` */
  async consumers(
    { namespace }: Pick<Caller, "namespace">,
    type: string,
  ): Promise<{ leases: HeldLease[]; waitingHere: number }> {
    const typeId = await this.ports.service.typeIdOf({ namespace, type });
    if (typeId === null) throw new TickwheelError("TYPE_NOT_FOUND", `There is no type ${shownText(type)}.`);
    const { queues } = this.ports;
    return { leases: await queues.heldLeases(typeId, MAX_HELD), waitingHere: queues.waitersOf(typeId) };
  }

  /** Makes a new secret for tokens, in the whole cluster. Answers its number. */
  async rotateSecret(caller: Caller): Promise<number> {
    requireAdmin(caller);
    return this.ports.queues.rotateSecret();
  }

  private async claimOf(caller: Caller, token: string): Promise<PulledClaim> {
    const claim = await this.ports.queues.claimOf(token, caller.namespace);
    requireClaimant(caller, claim.type);
    return claim;
  }
}

function requireClaimant(caller: Caller, type: string): void {
  if (!mayClaim({ role: caller.rights, types: caller.types }, type))
    throw new TickwheelError("FORBIDDEN", "This key may not claim tasks of this type.");
}
