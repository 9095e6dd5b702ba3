import { Injectable } from "@nestjs/common";
import type { ApiKey, PageSession } from "@tickwheel/core";
import { KeyRates } from "./key-rates.js";
import { KeyUses } from "./key-uses.js";
import { ApplicationLogIn } from "./application-log-in.js";
import { ApiKeyRing } from "./api-key-ring.js";
import { bearerKey, isUser } from "./api-key.js";
import type { LookUpCounts } from "./look-up-ring.js";
import { SessionRing } from "./session-ring.js";
import { sessionSecret } from "./session-secret.js";

/**
 * Who calls: the key, and the session that stands for it where the call bears none. A user of the application's own
 * log-in has the rights of a key, and neither.
 */
export interface Caller {
  apiKey: ApiKey;
  session: { secret: string; record: PageSession } | null;
}

/** What of a request of Express or Fastify tells who calls, and from where. */
export interface CallerRequest {
  headers: Readonly<Record<string, unknown>>;
  ip?: string | undefined;
}

/**
 * Finds who calls by the headers of a request: a bearer key, or the cookie of a session; without either the application
 * is asked.
 */
@Injectable()
export class Callers {
  // oxlint-disable-next-line max-params -- Nest injects them
  constructor(
    private readonly keys: ApiKeyRing,
    private readonly sessions: SessionRing,
    private readonly uses: KeyUses,
    private readonly rates: KeyRates,
    private readonly application: ApplicationLogIn,
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
    if (caller && !isUser(caller.apiKey)) {
      this.uses.see(caller.apiKey.id, request.ip ?? null);
      this.rates.count(caller.apiKey.id);
    }
    return caller;
  }

  private async look(request: CallerRequest, isReading: boolean): Promise<Caller | null> {
    const { headers } = request;
    const bearer = bearerKey(headers["authorization"]);
    if (bearer !== null) {
      const apiKey = await this.keys.find(bearer);
      return apiKey && { apiKey, session: null };
    }
    const secret = sessionSecret(headers["cookie"]);
    if (secret === null) {
      const user = await this.application.find(request);
      return user && { apiKey: user, session: null };
    }
    const record = await this.sessions.find(secret, isReading);
    return record && { apiKey: record.key, session: { secret, record } };
  }
}
