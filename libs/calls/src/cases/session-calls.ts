import { type EndedSession, type SessionPage, type SessionStore, TickwheelError } from "@tickwheel/core";
import { type Caller, requireAdmin } from "./caller.js";

interface Ports {
  readonly sessions: Pick<SessionStore, "list" | "endById">;
}

/**
 * What can be asked of the page's sessions of a namespace. Every call throws `FORBIDDEN` to a caller who is no
 * administrator, and `STORE_UNAVAILABLE`.
 */
export class SessionCalls {
  constructor(private readonly ports: Ports) {}

  /** A page of the live sessions, the newest first. */
  async list(caller: Caller, { limit, before }: { limit: number; before?: string | undefined }): Promise<SessionPage> {
    requireAdmin(caller);
    return this.ports.sessions.list({ namespace: caller.namespace, limit, before: before ?? null });
  }

  /** Ends a session, on all nodes within seconds; its key goes on. @throws TickwheelError `SESSION_NOT_FOUND` */
  async end(caller: Caller, id: string): Promise<EndedSession> {
    requireAdmin(caller);
    const ended = await this.ports.sessions.endById({ namespace: caller.namespace, id }, caller.actor);
    if (ended === null) throw new TickwheelError("SESSION_NOT_FOUND", `There is no live session ${id}.`);
    return ended;
  }
}
