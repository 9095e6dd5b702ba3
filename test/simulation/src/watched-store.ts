import {
  type LimitedClaimReply,
  type LimitStore,
  type Release,
  RowsLockedError,
  type TaskStore,
  type TokenGrant,
} from "@tickwheel/core";

/** The same store, which also counts its rare answers to a node. */
export function watchedStore(store: TaskStore, count: (what: string) => void): TaskStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      const call = member.bind(target) as (...parameters: unknown[]) => Promise<unknown>;
      if (name === "claim") return async (...parameters: unknown[]) => noteClaim(await call(...parameters), count);
      if (name === "enterQuarantine")
        return async (...parameters: unknown[]) => noteEntry(await call(...parameters), count);
      if (name === "release") return (...parameters: unknown[]) => noteReleases(call, parameters, count);
      if (name === "settle" || name === "defer")
        return (...parameters: unknown[]) => noteLocked(call(...parameters), count);
      return call;
    },
  });
}

/** The same for its limits. */
export function watchedLimits(store: LimitStore, count: (what: string) => void): LimitStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      const call = member.bind(target) as (...parameters: unknown[]) => Promise<unknown>;
      if (name === "claimLimited")
        return async (...parameters: unknown[]) =>
          noteLimitedClaim((await call(...parameters)) as LimitedClaimReply, count);
      if (name === "takeTokens")
        return async (...parameters: unknown[]) => noteTokens((await call(...parameters)) as TokenGrant | null, count);
      return call;
    },
  });
}

function noteLimitedClaim(reply: LimitedClaimReply, count: (what: string) => void): LimitedClaimReply {
  if (reply.outcome === "taken") count("limited claim taken");
  else if (reply.places === 0 && !reply.fenced) count("limited claim full");
  return reply;
}

function noteTokens(grant: TokenGrant | null, count: (what: string) => void): TokenGrant | null {
  count(grant === null ? "tokens of a rate that is gone" : grant.granted > 0 ? "tokens granted" : "tokens refused");
  return grant;
}

function noteClaim(reply: unknown, count: (what: string) => void): unknown {
  if ((reply as { fenced: boolean }).fenced) count("branch fence refused");
  return reply;
}

function noteEntry(reply: unknown, count: (what: string) => void): unknown {
  count((reply as { entered: boolean }).entered ? "branch quarantine entered" : "branch quarantine taken");
  return reply;
}

function noteReleases(
  call: (...parameters: unknown[]) => Promise<unknown>,
  parameters: unknown[],
  count: (what: string) => void,
): Promise<unknown> {
  for (const { reason } of parameters[0] as readonly Release[]) count(`release ${reason}`);
  return noteLocked(call(...parameters), count);
}

async function noteLocked(answer: Promise<unknown>, count: (what: string) => void): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RowsLockedError) count("branch rows locked");
    throw error;
  }
}
