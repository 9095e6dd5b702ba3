import { Injectable } from "@nestjs/common";
import type { ApiKey, PageSession } from "@tickwheel/core";
import { KeyUses } from "./key-uses.js";
import { ApiKeyRing } from "./api-key-ring.js";
import { bearerKey } from "./api-key.js";
import type { LookUpCounts } from "./look-up-ring.js";
import { SessionRing } from "./session-ring.js";
import { sessionSecret } from "./session-secret.js";

/** Who calls: the key, and the session that stands for it where the call bears none. */
export interface Caller {
  apiKey: ApiKey;
  session: { secret: string; record: PageSession } | null;
}

/** What of a request of Express or Fastify tells who calls, and from where. */
export interface CallerRequest {
  headers: Readonly<Record<string, unknown>>;
  ip?: string | undefined;
}

/** Finds who calls by the headers of a request: a bearer key, or the cookie of a session. */
@Injectable()
export class Callers {
  constructor(
    private readonly keys: ApiKeyRing,
    private readonly sessions: SessionRing,
    private readonly uses: KeyUses,
  ) {}

  /** What their look-ups have come to. */
  get counts(): { keys: LookUpCounts; sessions: LookUpCounts } {
    return { keys: this.keys.counts, sessions: this.sessions.counts };
  }

  /**
   * Null: nobody who is known. A key in the headers wins, also one that is none.
   *
   * @param isReading see `SessionRing.find`
   * @throws TickwheelError `STORE_UNAVAILABLE`, `RATE_LIMITED`
   */
  async find(request: CallerRequest, isReading: boolean): Promise<Caller | null> {
    const caller = await this.look(request, isReading);
    if (caller) this.uses.see(caller.apiKey.id, request.ip ?? null);
    return caller;
  }

  private async look({ headers }: CallerRequest, isReading: boolean): Promise<Caller | null> {
    const bearer = bearerKey(headers["authorization"]);
    if (bearer !== null) {
      const apiKey = await this.keys.find(bearer);
      return apiKey && { apiKey, session: null };
    }
    const secret = sessionSecret(headers["cookie"]);
    const record = await this.sessions.find(secret, isReading);
    return secret === null || record === null ? null : { apiKey: record.key, session: { secret, record } };
  }
}
