import type { Claim, QueuesCalls } from "./calls.generated.js";
import { ClientError } from "./client-error.js";
import { monoMs, waited } from "./system-time.js";
import { mayPass, waitBefore } from "./transport.js";
import { Work } from "./work.js";

/** A task as its consumer gets it. */
export type PulledTask<Payload = unknown> = Omit<Claim["task"], "payload"> & { readonly payload: Payload };

/** What a handler is given beside its task. */
export interface WorkContext {
  /**
   * Aborted when the attempt is to stop. Its reason is a `ClientError`: `CANCEL_REQUESTED`: somebody cancels the task;
   * `LEASE_LOST`: the task is another consumer's now; `DRAINED`: `consume` has ended.
   */
  readonly signal: AbortSignal;
  /** From 1. */
  readonly attempt: number;
  /** Names the attempt in calls of the API. */
  readonly token: string;
  /**
   * Makes the lease last so long from now on, in milliseconds, at most 12 h, and from then on by as much each time: for
   * work that blocks the program. @throws ClientError
   */
  extend(leaseMs: number): Promise<void>;
}

/**
 * Does the work. What it answers is the task's result, any JSON; what it throws ends the attempt. After its signal was
 * aborted by a cancel, an answer still counts, and a throw leaves the task cancelled.
 */
export type PullHandler<Payload> = (task: PulledTask<Payload>, context: WorkContext) => unknown;

/** How tasks are consumed. */
export interface ConsumeOptions {
  /** How many run at once. Default: 10. */
  readonly concurrency?: number | undefined;
  /** How long a task is this consumer's unless it is extended, in milliseconds, 1,000 to 60,000. Default: 30,000. */
  readonly leaseMs?: number | undefined;
  /** How people see the consumer named, 1 to 64 characters. Default: by the id of its key. */
  readonly consumer?: string | undefined;
  /** How long what runs may go on after the signal, in milliseconds. Default: 20,000. */
  readonly drainMs?: number | undefined;
  /** How long one poll waits, in milliseconds, at most 60,000. Default: 30,000. */
  readonly waitMs?: number | undefined;
  /** Stops it. Default: it goes on for ever. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Is told what went wrong outside of the handler: polls, lost leases, ends that the server did not take. What a
   * handler throws is the task's. Default: nobody is told.
   */
  readonly onError?: ((error: unknown, about: { readonly task?: PulledTask }) => void) | undefined;
}

/** What is to be consumed, and by what. */
export interface Consumption<Payload> {
  readonly type: string;
  readonly handler: PullHandler<Payload>;
  readonly options: ConsumeOptions;
}

/** One poll gets so many tasks at most. */
const MOST_OF_A_POLL = 100;
/** How much later than its wait the answer of a poll may come. */
const ANSWER_MS = 15_000;
/** Two polls that find nothing are so far apart at least. */
const REST_MS = 1_000;
/** A type is made by its first task. */
const NO_TYPE_MS = 5_000;
/** What no further poll makes better. */
const FIRST_STATUS_OF_CALLERS = 400;
const TIMED_OUT = 408;

/**
 * Polls for tasks and runs them: one poll in flight, for as many tasks as there are free places. No poll while there is
 * none.
 */
export class Consumer<Payload> {
  private readonly works = new Set<Work>();
  private readonly signal: AbortSignal;
  private readonly concurrency: number;
  private readonly leaseMs: number;
  private readonly waitMs: number;
  /** Told when a place is free. */
  private freed = new AbortController();
  private hasToldOfNoType = false;
  private failures = 0;

  constructor(
    private readonly queues: QueuesCalls,
    private readonly consumption: Consumption<Payload>,
  ) {
    const { concurrency = 10, leaseMs = 30_000, waitMs = 30_000, signal } = consumption.options;
    if (!Number.isInteger(concurrency) || concurrency < 1)
      throw new RangeError("concurrency must be a whole number from 1 on");
    this.concurrency = concurrency;
    this.leaseMs = leaseMs;
    this.waitMs = waitMs;
    this.signal = signal ?? new AbortController().signal;
  }

  async run(): Promise<void> {
    const refusal = await this.poll();
    await this.drain();
    if (refusal !== null) throw refusal;
  }

  /** Until it is stopped, or refused for good. */
  private async poll(): Promise<ClientError | null> {
    while (!this.signal.aborted) {
      const free = this.concurrency - this.works.size;
      if (free === 0) await this.placeFree();
      else {
        const refusal = await this.pollOnce(free);
        if (refusal !== null) return refusal;
      }
    }
    return null;
  }

  /** @returns the error that ends all polls */
  private async pollOnce(free: number): Promise<ClientError | null> {
    const { type, options } = this.consumption;
    const { leaseMs, waitMs, signal } = this;
    const startMs = monoMs();
    try {
      const asked = { max: Math.min(free, MOST_OF_A_POLL), waitMs, leaseMs, consumer: options.consumer };
      const { claims } = await this.queues.claim(type, asked, { signal, attempts: 1, timeoutMs: waitMs + ANSWER_MS });
      this.failures = 0;
      for (const claim of claims) this.take(claim);
      if (claims.length === 0) await waited(startMs + REST_MS - monoMs(), signal);
      return null;
    } catch (error) {
      return signal.aborted ? null : this.afterFailure(error);
    }
  }

  private async afterFailure(error: unknown): Promise<ClientError | null> {
    if (!(error instanceof ClientError)) throw error;
    if (error.code === "TYPE_NOT_FOUND") {
      if (!this.hasToldOfNoType) this.tell(error);
      this.hasToldOfNoType = true;
      await waited(NO_TYPE_MS, this.signal);
      return null;
    }
    const isRefused = error.status >= FIRST_STATUS_OF_CALLERS && error.status !== TIMED_OUT && !mayPass(error);
    if (isRefused) return error;
    this.tell(error);
    await waited(waitBefore(++this.failures, error.retryAfterMs), this.signal);
    return null;
  }

  private take(claim: Claim): void {
    const work = new Work(this.queues, {
      claim,
      leaseMs: this.leaseMs,
      tell: (error) => this.tell(error, claim.task),
    });
    this.works.add(work);
    const running = this.signal.aborted
      ? work.giveBack()
      : work.run((context) => this.consumption.handler(claim.task as PulledTask<Payload>, context));
    void running.finally(() => {
      this.works.delete(work);
      this.freed.abort();
    });
  }

  private async placeFree(): Promise<void> {
    this.freed = new AbortController();
    const wake = (): void => this.freed.abort();
    this.signal.addEventListener("abort", wake, { once: true });
    await new Promise<void>((resolve) => this.freed.signal.addEventListener("abort", () => resolve(), { once: true }));
    this.signal.removeEventListener("abort", wake);
  }

  private async drain(): Promise<void> {
    const over = new AbortController();
    const ended = this.allEnded().then(() => over.abort());
    await waited(this.consumption.options.drainMs ?? 20_000, over.signal);
    if (this.works.size === 0) return ended;
    await Promise.all([...this.works].map((work) => work.giveBack()));
  }

  private async allEnded(): Promise<void> {
    while (this.works.size > 0)
      await new Promise<void>((resolve) => {
        this.freed = new AbortController();
        this.freed.signal.addEventListener("abort", () => resolve(), { once: true });
      });
  }

  private tell(error: unknown, task?: PulledTask): void {
    this.consumption.options.onError?.(error, { ...(task && { task }) });
  }
}
