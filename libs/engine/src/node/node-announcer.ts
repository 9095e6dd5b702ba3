import { CONSUMER, type Coordination, type TaskHint } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import { Hints } from "../finding/hints.js";
import type { Announcer } from "../requests/announcer.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { Engine } from "./engine.js";

interface AnnouncerParts {
  coordination: Coordination;
  ownership: () => Ownership;
  /** See `Hints`. */
  pulled: ((hints: readonly TaskHint[]) => readonly TaskHint[]) | undefined;
}

/** Tells nodes behind a commit what concerns them: this node's engine first, where it has one, else by hints alone. */
export function nodeAnnouncer(
  context: EngineContext,
  engine: Engine | null,
  { coordination, ownership, pulled }: AnnouncerParts,
): Announcer {
  const { home } = context;
  const membership = { bootId: null, ownership };
  const hints = new Hints(context, { coordination, membership, pulled, keep: () => undefined });
  return {
    publish: (changed) => home.run(() => (engine ?? hints).publish(changed)),
    forget: (id) => engine?.forget(id),
    cancelRunning: ({ id, fence, owner }) => {
      // A consumer hears of it when it extends its lease.
      if (owner !== null && owner !== CONSUMER)
        void home.run(() => (engine ?? hints).cancelRunning(owner, { id, fence }));
    },
  };
}
