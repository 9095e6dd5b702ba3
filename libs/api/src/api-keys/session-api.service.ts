import { Inject, Injectable } from "@nestjs/common";
import { isoInstant, SessionCalls } from "@tickwheel/calls";
import type { AnswerOf, PAGE_SESSION_OPERATIONS } from "@tickwheel/contract/operations";
import type { PageSessionRecord } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import type { Call, Calls } from "../calls/call.js";
import { callerOf } from "../keys/api-key.js";
import { API_NODE } from "../keys/api-node.js";
import { SessionRing } from "../keys/session-ring.js";

type Rows = (typeof PAGE_SESSION_OPERATIONS)["rows"];
type ShownSession = AnswerOf<Rows["endSession"]>;

/** The calls about the page's sessions, as REST and GraphQL share them, within the key's namespace. */
@Injectable()
export class SessionApiService implements Calls<Rows> {
  private readonly calls: SessionCalls;

  constructor(
    @Inject(API_NODE) node: DelayTaskNode,
    private readonly ring: SessionRing,
  ) {
    this.calls = new SessionCalls(node);
  }

  async sessions({
    apiKey,
    session,
    query,
  }: Pick<Call<Rows["sessions"]>, "apiKey" | "session" | "query">): Promise<AnswerOf<Rows["sessions"]>> {
    const { limit, cursor: before } = query;
    const { sessions, next } = await this.calls.list(callerOf(apiKey), { limit, before });
    return { items: sessions.map((one) => shown(one, session)), nextCursor: next };
  }

  async endSession({ apiKey, session, at }: Call): Promise<ShownSession> {
    const ended = await this.calls.end(callerOf(apiKey), at);
    this.ring.forget(ended.hash);
    return shown(ended.session, session);
  }
}

/** @param own the session that the call comes with, or null */
function shown(session: PageSessionRecord, own: string | null): ShownSession {
  const { id, keyId: apiKey, keyName, keyPrefix, role } = session;
  return {
    id,
    apiKey,
    keyName,
    keyPrefix,
    role,
    isOwn: id === own,
    createdAt: isoInstant(session.createdAt),
    usedAt: isoInstant(session.usedAt),
    endsAt: isoInstant(session.endsAt),
  };
}
