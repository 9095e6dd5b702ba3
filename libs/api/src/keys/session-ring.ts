import { Inject, Injectable } from "@nestjs/common";
import { type Clock, type PageSession, type SessionLimits, SystemClock, TickwheelError } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { API_NODE } from "./api-node.js";
import { hashApiKey } from "./api-key.js";
import { LatelySeen } from "./lately-seen.js";
import { BELIEVED_MS, type LookUpCounts, LookUpRing } from "./look-up-ring.js";
import { SESSION_LIMITS } from "./session-options.js";
import { hashSession, newSessionSecret } from "./session-secret.js";

/** While Postgres is away, a session that was seen live no longer ago than this may read, in milliseconds. */
const READS_WHILE_AWAY_MS = 10 * 60 * 1_000;
/** That a session is used is written at most so often, in milliseconds. */
const USE_WRITTEN_MS = 60 * 1_000;
/** Sessions that are remembered for an outage. */
const MAX_SEEN = 10_000;

interface Seen {
  session: PageSession;
  useWrittenMonoMs: number;
}

/**
 * Finds the sessions of the page, remembering each look-up for a few seconds: see {@link LookUpRing}. While Postgres is
 * away, a user who was seen not long ago goes on reading: the page shows an outage best while it lasts.
 */
@Injectable()
export class SessionRing {
  private readonly ring: LookUpRing<PageSession>;
  private readonly seen: LatelySeen<Seen>;
  private awayUntilMonoMs = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(API_NODE) private readonly node: Pick<DelayTaskNode, "sessions">,
    @Inject(SESSION_LIMITS) private readonly limits: SessionLimits,
    @Inject(SystemClock) private readonly clock: Pick<Clock, "monotonicMs">,
  ) {
    this.seen = new LatelySeen(clock, { most: MAX_SEEN, forMs: READS_WHILE_AWAY_MS });
    this.ring = new LookUpRing(async (hashes) => this.node.sessions.findByHashes(hashes), clock);
  }

  /** Null: no live key has this text. */
  async create(key: string): Promise<{ secret: string; session: PageSession } | null> {
    const secret = newSessionSecret();
    const session = await this.node.sessions.create(hashSession(secret), hashApiKey(key), this.limits);
    return session && { secret, session };
  }

  /**
   * The live session with this secret, or null.
   *
   * @param isReading while Postgres is away, a session that was seen live within the last ten minutes is live for this
   * @throws TickwheelError `STORE_UNAVAILABLE`, and `RATE_LIMITED` where thousands of unknown secrets wait
   */
  async find(secret: string | null, isReading: boolean): Promise<PageSession | null> {
    if (secret === null) return null;
    const hash = hashSession(secret);
    // A look at a Postgres that hangs takes seconds, so after one that failed readers do not wait for another.
    const isAway = this.clock.monotonicMs() < this.awayUntilMonoMs;
    const remembered = isReading ? (this.seen.of(hash)?.session ?? null) : null;
    if (isAway && remembered) return remembered;
    try {
      return this.see(hash, await this.ring.find(hash));
    } catch (error) {
      if (!(error instanceof TickwheelError) || error.code !== "STORE_UNAVAILABLE") throw error;
      this.awayUntilMonoMs = this.clock.monotonicMs() + BELIEVED_MS;
      if (remembered) return remembered;
      throw error;
    }
  }

  get counts(): LookUpCounts {
    return this.ring.counts;
  }

  /** Ends a session everywhere; on other nodes within seconds. */
  async end(secret: string): Promise<void> {
    const hash = hashSession(secret);
    await this.node.sessions.end(hash);
    this.forget(hash);
  }

  /** The session with this hash has been ended: it is believed here no more. */
  forget(hash: string): void {
    this.seen.forget(hash);
    this.ring.forget(hash);
  }

  private see(hash: string, session: PageSession | null): PageSession | null {
    if (session === null) {
      this.seen.forget(hash);
      return null;
    }
    const { useWrittenMonoMs = Number.NEGATIVE_INFINITY } = this.seen.of(hash) ?? {};
    const seen: Seen = { session, useWrittenMonoMs };
    this.seen.see(hash, seen);
    if (this.clock.monotonicMs() - useWrittenMonoMs >= USE_WRITTEN_MS) this.writeUse(hash, seen);
    return session;
  }

  /** Nobody waits for it; where it fails, the next minute's will do. */
  private writeUse(hash: string, seen: Seen): void {
    seen.useWrittenMonoMs = this.clock.monotonicMs();
    this.node.sessions.use(hash, this.limits).catch(() => undefined);
  }
}
