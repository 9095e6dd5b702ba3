import { type Release, RowsLockedError, type TaskStore } from "@tickwheel/core";

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
