import type { Clock, ClockTimer } from "@tickwheel/core";
import type { RedisKeyspace } from "./redis-keyspace.js";
import type { Inlet } from "../time/simulated-loop.js";
import { SimulatedWire, type WireEnds } from "../network/simulated-wire.js";

/** The limits of `RedisConnection` in the redis-coordination library and of the client below it. */
const CALL_LIMIT_MS = 250;
const SILENT_LIMIT_MS = 1_000;
const CONNECT_LIMIT_MS = 1_000;
const MAX_RECONNECT_MS = 1_000;
const RECONNECT_STEP_MS = 100;

const REFUSED = "connect ECONNREFUSED";
const CLOSED = "Connection is closed.";
const SILENT = `Socket timeout. Expecting data, but didn't receive any in ${SILENT_LIMIT_MS}ms.`;

/** What is done on the server, in one step. */
export type RedisCommand<T> = (keys: RedisKeyspace, wire: SimulatedWire) => T;

export interface RedisEnds extends WireEnds {
  loop: Clock & Inlet;
  keys: RedisKeyspace;
}

type Status = "ended" | "connecting" | "ready" | "waiting";

/**
 * A client's connection to a simulated Redis, as `RedisConnection` with ioredis keeps it: commands fail after 250 ms,
 * and at once while there is no connection; one on which nothing is answered for a second is given up; it is made anew
 * for ever, each time a little later.
 */
export class SimulatedRedisConnection {
  private status: Status = "ended";
  private wire: SimulatedWire | null = null;
  private attempts = 0;
  private unanswered = 0;
  private readonly pending = new Set<(error: Error) => void>();
  private limit: ClockTimer | null = null;
  private lastError: string | null = null;
  private failed: string | null = null;
  private attempted: () => void = () => undefined;

  constructor(
    private readonly ends: RedisEnds,
    private readonly onReady: () => void = () => undefined,
  ) {}

  /** Waits a little for the first connection; without one it goes on trying. */
  async open(): Promise<void> {
    if (this.status !== "ended") return;
    const attempted = new Promise<void>((resolve) => (this.attempted = resolve));
    this.connect();
    await this.within(CONNECT_LIMIT_MS, attempted);
  }

  async close(): Promise<void> {
    if (this.status === "ended") return;
    this.leave(CLOSED);
    this.status = "ended";
    this.attempts = 0;
  }

  /** Why it does not work just now; null: it does. */
  get trouble(): string | null {
    if (this.status === "ended") return "not started";
    return this.isReady ? this.failed : (this.lastError ?? "not connected");
  }

  get isReady(): boolean {
    return this.status === "ready";
  }

  /** The answer, or null where there was none in time. */
  async call<T>(run: () => Promise<T>): Promise<T | null> {
    if (!this.isReady) return null;
    const answer = await this.within(CALL_LIMIT_MS, attempt(run()));
    if (answer === null) this.failed = `no answer within ${CALL_LIMIT_MS} ms`;
    else this.failed = answer.ok ? null : answer.message;
    return answer?.ok === true ? answer.value : null;
  }

  /** For what `call` runs: one command. Rejects when there is no connection, or no answer in time. */
  execute<T>(command: RedisCommand<T>): Promise<T> {
    const { wire } = this;
    if (!this.isReady || wire === null) return Promise.reject(new Error("Stream isn't writeable"));
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        tooLate.clear();
        this.pending.delete(fail);
      };
      const fail = (error: Error): void => {
        settle();
        reject(error);
      };
      const tooLate = this.ends.loop.setTimer(CALL_LIMIT_MS, () => fail(new Error("Command timed out")));
      this.pending.add(fail);
      this.unanswered++;
      if (this.limit === null) this.expectData();
      wire.request(
        () => command(this.ends.keys, wire),
        (value) => {
          settle();
          this.unanswered--;
          this.heard();
          resolve(value);
        },
      );
    });
  }

  /** For the server's messages: something was received. */
  heard(): void {
    this.limit?.clear();
    this.limit = null;
    if (this.unanswered > 0) this.expectData();
  }

  private connect(): void {
    this.status = "connecting";
    const wire: SimulatedWire = new SimulatedWire(this.ends, {
      established: () => this.greet(wire),
      refused: () => this.drop(REFUSED),
      reset: () => this.drop(CLOSED),
    });
    this.wire = wire;
    this.limitTo(CONNECT_LIMIT_MS, "connect ETIMEDOUT");
  }

  /** It is ready when the server says that it is. */
  private greet(wire: SimulatedWire): void {
    this.limitTo(CALL_LIMIT_MS, "Ready check failed: Command timed out");
    wire.request(
      () => undefined,
      () => {
        this.limitTo(null);
        this.status = "ready";
        this.attempts = 0;
        this.lastError = null;
        this.failed = null;
        this.attempted();
        this.onReady();
      },
    );
  }

  private expectData(): void {
    this.limitTo(SILENT_LIMIT_MS, SILENT);
  }

  private limitTo(limitMs: number | null, error = ""): void {
    this.limit?.clear();
    this.limit = limitMs === null ? null : this.ends.loop.setTimer(limitMs, () => this.drop(error));
  }

  /** The connection is lost, or was never made; the next attempt comes a little later. */
  private drop(error: string): void {
    this.leave(error);
    this.lastError = error;
    this.status = "waiting";
    this.attempted();
    this.limit = this.ends.loop.setTimer(Math.min(++this.attempts * RECONNECT_STEP_MS, MAX_RECONNECT_MS), () => {
      this.limit = null;
      this.connect();
    });
  }

  private leave(error: string): void {
    this.limitTo(null);
    this.wire?.close();
    this.wire = null;
    this.unanswered = 0;
    for (const fail of Array.from(this.pending)) fail(new Error(error));
  }

  /** `work` never rejects. */
  private within<T>(limitMs: number, work: Promise<T>): Promise<T | null> {
    return new Promise((resolve) => {
      const tooLate = this.ends.loop.setTimer(limitMs, () => resolve(null));
      void work.then((answer) => {
        tooLate.clear();
        resolve(answer);
      });
    });
  }
}

type Attempt<T> = { ok: true; value: T } | { ok: false; message: string };

function attempt<T>(work: Promise<T>): Promise<Attempt<T>> {
  return work.then(
    (value) => ({ ok: true, value }),
    (error: unknown) => ({ ok: false, message: error instanceof Error ? error.message : String(error) }),
  );
}
