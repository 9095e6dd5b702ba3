import type { Clock } from "@tickwheel/core";
import type { Inlet } from "../time/simulated-loop.js";
import { SimulatedWire, type WireEnds } from "./simulated-wire.js";

export interface SessionEnds extends WireEnds {
  loop: Clock & Inlet;
}

/**
 * A session with a simulated server, with promises: one that waits for each answer, and is of no use any more once it
 * was told too late or was broken.
 */
export class WireSession {
  private readonly breaking = new AbortController();
  private readonly wire: SimulatedWire;
  private established: () => void = () => undefined;

  private constructor(private readonly ends: SessionEnds) {
    this.wire = new SimulatedWire(ends, {
      established: () => this.established(),
      refused: () => this.end("ECONNREFUSED"),
      reset: () => this.end("ECONNRESET"),
    });
  }

  /** @throws Error when the server refuses, or says nothing within the limit */
  static async open(ends: SessionEnds, limitMs: number): Promise<WireSession> {
    const session = new WireSession(ends);
    await session.within<void>(limitMs, (resolve) => (session.established = resolve));
    return session;
  }

  /** Aborts when it is over, by whomever; the reason is an Error. */
  get broken(): AbortSignal {
    return this.breaking.signal;
  }

  /**
   * Executes `work` on the server. @throws Error when the session is over, or there is no answer within the limit,
   * which ends it
   */
  ask<T>(work: (wire: SimulatedWire) => T, limitMs: number): Promise<T> {
    return this.within(limitMs, (resolve) => this.wire.request(() => work(this.wire), resolve));
  }

  close(): void {
    this.end("closed");
  }

  private within<T>(limitMs: number, begin: (resolve: (value: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (): void => {
        tooLate.clear();
        reject(this.broken.reason as Error);
      };
      const tooLate = this.ends.loop.setTimer(limitMs, () => this.end("no answer"));
      if (this.broken.aborted) return fail();
      this.broken.addEventListener("abort", fail, { once: true });
      begin((value) => {
        tooLate.clear();
        this.broken.removeEventListener("abort", fail);
        resolve(value);
      });
    });
  }

  private end(why: string): void {
    this.wire.close();
    this.breaking.abort(new Error(why));
  }
}
