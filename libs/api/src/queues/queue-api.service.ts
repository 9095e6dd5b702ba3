import { Inject, Injectable } from "@nestjs/common";
import { type ClaimEndFields, type ClaimFields, type Claimed, isoInstant, QueueCalls, toClaim } from "@tickwheel/calls";
import type { ConsumerReport } from "@tickwheel/contract/types";
import type { QUEUE_OPERATIONS } from "@tickwheel/contract/operations";
import type { JsonText } from "@tickwheel/core";
import type { ClaimEnd } from "@tickwheel/engine";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import type { Call, Calls } from "../calls/call.js";
import { callerOf } from "../keys/api-key.js";
import { API_NODE } from "../keys/api-node.js";

type Rows = (typeof QUEUE_OPERATIONS)["rows"];

/** What a consumer gets. */
export interface ShownClaims {
  claims: ClaimFields<JsonText, string>[];
  /** Else absent. */
  paused?: true;
}

/** What became of a claim's task; `replayed`: the same claim had been completed before. */
export interface ShownEnd extends ClaimEndFields<string> {
  replayed: boolean;
}

/** The calls of consumers, as REST and GraphQL share them, within the key's namespace. */
@Injectable()
export class QueueApiService implements Calls<Rows> {
  private readonly calls: QueueCalls;

  constructor(@Inject(API_NODE) node: DelayTaskNode) {
    this.calls = new QueueCalls(node);
  }

  /** Claims whose answer is not on its way when the caller has gone are given back. */
  async claim({ apiKey, at: type, body: given, signal, isAnswered }: Call): Promise<ShownClaims> {
    const claimed: Claimed = await this.calls.claim(callerOf(apiKey), { type, given, signal });
    const { claims } = claimed;
    if (claims.length > 0)
      signal?.addEventListener("abort", () => {
        if (isAnswered?.() === false) this.calls.giveBack(claims);
      });
    return { claims: claims.map((one) => toClaim(one, isoInstant)), ...(claimed.isPaused && { paused: true }) };
  }

  async extend({ apiKey, at, body }: Call): Promise<{ leaseUntil: string }> {
    const { leaseUntil } = await this.calls.extend(callerOf(apiKey), at, body);
    return { leaseUntil: isoInstant(leaseUntil) };
  }

  async complete({ apiKey, at, body }: Call): Promise<ShownEnd> {
    return shownEnd(await this.calls.complete(callerOf(apiKey), at, body));
  }

  async fail({ apiKey, at, body }: Call): Promise<ShownEnd> {
    return shownEnd(await this.calls.fail(callerOf(apiKey), at, body));
  }

  async release({ apiKey, at }: Call): Promise<ShownEnd> {
    return shownEnd(await this.calls.release(callerOf(apiKey), at));
  }

  async consumers({ apiKey, at }: Call): Promise<ConsumerReport> {
    const { leases, waitingHere } = await this.calls.consumers(callerOf(apiKey), at);
    const claims = leases.map(({ id: taskId, consumer, claimedAt, leaseUntil }) => ({
      taskId,
      consumer,
      claimedAt: isoInstant(claimedAt),
      leaseUntil: isoInstant(leaseUntil),
    }));
    return { claims, waitingHere };
  }

  async rotateSecret({ apiKey }: Call): Promise<{ id: number }> {
    return { id: await this.calls.rotateSecret(callerOf(apiKey)) };
  }
}

function shownEnd({ state, dueAt, isReplayed: replayed }: ClaimEnd): ShownEnd {
  return { state, dueAt: dueAt === null ? null : isoInstant(dueAt), replayed };
}
