import { type CanActivate, type ExecutionContext, Inject, Injectable } from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import { type Clock, SystemClock, TickwheelError } from "@tickwheel/core";
import { ApiKeyGuard } from "../keys/api-key.guard.js";
import { bearerKey, hashApiKey } from "../keys/api-key.js";
import { Callers } from "../keys/callers.js";
import { LatelySeen } from "../keys/lately-seen.js";

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
  /** Keys that were let in, by their hashes. */
  private readonly letIn: LatelySeen<true>;

  constructor(callers: Callers, reflector: Reflector, @Inject(SystemClock) clock: Pick<Clock, "monotonicMs">) {
    this.guard = new ApiKeyGuard(callers, reflector);
    this.letIn = new LatelySeen(clock, { most: MAX_SEEN, forMs: READS_WHILE_AWAY_MS });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, unknown> }>();
    const bearer = bearerKey(headers["authorization"]);
    const hash = bearer === null ? null : hashApiKey(bearer);
    try {
      const isLetIn = await this.guard.canActivate(context);
      if (hash !== null) this.letIn.see(hash, true);
      return isLetIn;
    } catch (error) {
      const isAway = error instanceof TickwheelError && error.code === "STORE_UNAVAILABLE";
      if (isAway && hash !== null && this.letIn.of(hash)) return true;
      if (!isAway && hash !== null) this.letIn.forget(hash);
      throw error;
    }
  }
}
