import { type CanActivate, type ExecutionContext, Inject, Injectable } from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import { type Clock, SystemClock, TickwheelError } from "@tickwheel/core";
import { ApiKeyGuard } from "../keys/api-key.guard.js";
import { bearerKey, hashApiKey } from "../keys/api-key.js";
import { Callers } from "../keys/callers.js";

/** While Postgres is away, a key that could read metrics no longer ago than this still may, in milliseconds. */
const READS_WHILE_AWAY_MS = 24 * 60 * 60 * 1_000;
/** Keys that are remembered for an outage. */
const MAX_SEEN = 100;

/**
 * The key's guard, but for an outage: metrics tell most while Postgres is away, and then no key can be looked up. A key
 * that was let in within the last day goes on reading the numbers of `/metrics`, and nothing else. One that is revoked
 * is refused as soon as Postgres answers.
 */
@Injectable()
export class MetricsGuard implements CanActivate {
  private readonly guard: ApiKeyGuard;
  /** When each key was let in last, by its hash; the latest at the end. */
  private readonly seenMonoMs = new Map<string, number>();

  constructor(
    callers: Callers,
    reflector: Reflector,
    @Inject(SystemClock) private readonly clock: Pick<Clock, "monotonicMs">,
  ) {
    this.guard = new ApiKeyGuard(callers, reflector);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, unknown> }>();
    const bearer = bearerKey(headers["authorization"]);
    const hash = bearer === null ? null : hashApiKey(bearer);
    try {
      const isLetIn = await this.guard.canActivate(context);
      if (hash !== null) this.see(hash);
      return isLetIn;
    } catch (error) {
      const isAway = error instanceof TickwheelError && error.code === "STORE_UNAVAILABLE";
      if (isAway && hash !== null && this.wasSeenLately(hash)) return true;
      if (!isAway && hash !== null) this.seenMonoMs.delete(hash);
      throw error;
    }
  }

  private see(hash: string): void {
    this.seenMonoMs.delete(hash);
    if (this.seenMonoMs.size >= MAX_SEEN) this.seenMonoMs.delete(this.seenMonoMs.keys().next().value!);
    this.seenMonoMs.set(hash, this.clock.monotonicMs());
  }

  private wasSeenLately(hash: string): boolean {
    const seenMonoMs = this.seenMonoMs.get(hash);
    return seenMonoMs !== undefined && this.clock.monotonicMs() - seenMonoMs < READS_WHILE_AWAY_MS;
  }
}
