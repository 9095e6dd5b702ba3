import type { CallOptions } from "./call-options.js";
import type { Claim, QueuesCalls } from "./calls.generated.js";
import { ClientError } from "./client-error.js";
import type { WorkContext } from "./consumer.js";
import { failureOf } from "./handler-errors.js";
import { monoMs, waited } from "./system-time.js";
import { mayPass, waitBefore } from "./transport.js";

/** What is worked on. */
export interface Held {
  readonly claim: Claim;
  readonly leaseMs: number;
  /** Is told what the server did not take. */
  readonly tell: (error: unknown) => void;
}

type Outcome =
  | { readonly isDone: true; readonly result: unknown }
  | { readonly isDone: false; readonly error: unknown };

/** A lease is extended when a third of it is over, so that two thirds are left for three tries. */
const SHARE_LEFT = 2 / 3;
const TRIES = 3;
/** A call about a claim may take so long at least, even where its lease is nearly over. */
const LEAST_CALL_MS = 1_000;

/**
 * One attempt: runs the handler, keeps its lease while it runs, and tells its end, again and again as long as the lease
 * lasts. Each of these calls names the attempt, so the server takes each once; after a lost lease nothing is sent.
 */
export class Work {
  /** Aborted when the handler is to stop. */
  private readonly stop = new AbortController();
  /** Aborted when no extension is needed any more. */
  private readonly settled = new AbortController();
  /** Aborted when nothing more is to be told. */
  private readonly over = new AbortController();
  private leaseMs: number;
  private endMonoMs: number;
  private extending: Promise<void> = Promise.resolve();

  constructor(
    private readonly queues: QueuesCalls,
    private readonly held: Held,
  ) {
    this.leaseMs = held.leaseMs;
    this.endMonoMs = monoMs() + held.leaseMs;
  }

  async run(handle: (context: WorkContext) => unknown): Promise<void> {
    const keeping = this.keepLease();
    const outcome = await this.outcomeOf(handle);
    this.settled.abort();
    await keeping;
    if (!this.over.signal.aborted) await this.tellEnd(outcome);
  }

  /** Tells the handler to stop, and gives the task to others: the attempt does not count. */
  async giveBack(): Promise<void> {
    if (this.over.signal.aborted) return;
    this.end(new ClientError({ code: "DRAINED", detail: "the consumer stops" }));
    const options = { attempts: 1, timeoutMs: this.callMs() };
    await this.queues.release(this.held.claim.token, options).catch(this.held.tell);
  }

  private async outcomeOf(handle: (context: WorkContext) => unknown): Promise<Outcome> {
    const { token, task } = this.held.claim;
    const extend = (leaseMs: number): Promise<void> => this.extendInTurn(() => leaseMs);
    try {
      const result = await handle({ signal: this.stop.signal, attempt: task.attempt, token, extend });
      return { isDone: true, result };
    } catch (error) {
      return { isDone: false, error };
    }
  }

  /** Until the handler has ended or the lease is lost. */
  private async keepLease(): Promise<void> {
    const { signal } = this.settled;
    for (let failures = 0; !signal.aborted;) {
      const leftMs = this.endMonoMs - monoMs();
      if (leftMs <= 0) return this.lose(new ClientError({ code: "LEASE_LOST", detail: "it could not be extended" }));
      const idleMs = failures === 0 ? leftMs - this.leaseMs * SHARE_LEFT : leftMs / (TRIES + 1 - failures);
      await waited(idleMs, signal);
      const isEarly = failures === 0 && this.endMonoMs - monoMs() > this.leaseMs * SHARE_LEFT + 1;
      if (isEarly || failures === TRIES || signal.aborted) continue;
      failures = (await this.isExtended()) ? 0 : failures + 1;
    }
  }

  private async isExtended(): Promise<boolean> {
    try {
      await this.extendInTurn(() => this.leaseMs);
      return true;
    } catch (error) {
      if (!this.settled.signal.aborted) this.held.tell(error);
      return false;
    }
  }

  /** One after the other: else a short lease may follow a long one that the handler has asked for. */
  private extendInTurn(leaseMs: () => number): Promise<void> {
    const extended = this.extending.then(() => this.extend(leaseMs()));
    this.extending = extended.catch(() => {});
    return extended;
  }

  /** @throws ClientError, or what the signal was aborted with */
  private async extend(leaseMs: number): Promise<void> {
    const { signal } = this.settled;
    const startMs = monoMs();
    try {
      await this.queues.extend(this.held.claim.token, { leaseMs }, { signal, attempts: 1, timeoutMs: this.callMs() });
      this.leaseMs = leaseMs;
      this.endMonoMs = startMs + leaseMs;
    } catch (error) {
      if (error instanceof ClientError && error.code === "CANCEL_REQUESTED") this.askToStop(error);
      if (isLost(error)) this.lose(error);
      throw error;
    }
  }

  /** What the handler answers still counts until the lease is over. */
  private askToStop(reason: ClientError): void {
    this.settled.abort();
    this.stop.abort(reason);
  }

  private lose(reason: unknown): void {
    this.end(reason);
    this.held.tell(reason);
  }

  private end(reason: unknown): void {
    this.over.abort();
    this.settled.abort();
    this.stop.abort(reason);
  }

  private async tellEnd(outcome: Outcome): Promise<void> {
    const { token } = this.held.claim;
    if (outcome.isDone) return this.tellResult(outcome.result);
    if (this.stop.signal.aborted) await this.sent((options) => this.queues.release(token, options));
    else await this.tellFailure(outcome.error);
  }

  /** A wait that the server does not take is left to the task's backoff. */
  private async tellFailure(thrown: unknown): Promise<void> {
    const { token } = this.held.claim;
    const { error, ...more } = failureOf(thrown);
    const refusal = await this.sent((options) => this.queues.fail(token, { error, ...more }, options), isBadInput);
    if (refusal !== undefined) await this.sent((options) => this.queues.fail(token, { error }, options));
  }

  /** A result that the server does not take would be none the next time either. */
  private async tellResult(result: unknown): Promise<void> {
    const { token } = this.held.claim;
    const refusal = await this.sent((options) => this.queues.complete(token, { result }, options), isBadInput);
    if (refusal === undefined) return;
    const error = `its result was not taken: ${refusal instanceof Error ? refusal.message : "no JSON"}`.slice(0, 1_000);
    await this.sent((options) => this.queues.fail(token, { error, retryable: false }, options));
  }

  /**
   * Sends it until the server has answered or the lease is over.
   *
   * @param isHandled which errors the caller wants to have. Default: none
   * @returns such an error
   */
  private async sent(
    send: (options: CallOptions) => Promise<unknown>,
    isHandled: (error: unknown) => boolean = () => false,
  ): Promise<unknown> {
    const { signal } = this.over;
    for (let failures = 1; !signal.aborted; failures++)
      try {
        await send({ signal, attempts: 1, timeoutMs: this.callMs() });
        return undefined;
      } catch (error) {
        if (signal.aborted) return undefined;
        this.held.tell(error);
        if (isHandled(error)) return error;
        const waitMs = mayPass(error) ? waitBefore(failures, error.retryAfterMs) : Infinity;
        if (monoMs() + waitMs >= this.endMonoMs) return undefined;
        await waited(waitMs, signal);
      }
    return undefined;
  }

  private callMs(): number {
    return Math.max(LEAST_CALL_MS, this.endMonoMs - monoMs());
  }
}

/** An input that is none, or that is too long. */
function isBadInput(error: unknown): boolean {
  return !(error instanceof ClientError) || error.status === 400 || error.status === 413;
}

function isLost(error: unknown): boolean {
  return error instanceof ClientError && (error.code === "LEASE_LOST" || error.code === "CLAIM_NOT_FOUND");
}
