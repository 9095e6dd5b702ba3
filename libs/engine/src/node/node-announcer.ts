import type { SystemContext } from "@tickwheel/core";
import type { Hints } from "../finding/hints.js";
import type { Announcer } from "../requests/announcer.js";
import type { Engine } from "./engine.js";

/** Tells nodes behind a commit what concerns them: this node's engine first, where it has one, else by hints alone. */
export function nodeAnnouncer(home: SystemContext, engine: Engine | null, hints: Hints): Announcer {
  return {
    publish: (changed) => home.run(() => (engine ?? hints).publish(changed)),
    forget: (id) => engine?.forget(id),
    cancelRunning: ({ id, fence, owner }) => {
      if (owner !== null) void home.run(() => (engine ?? hints).cancelRunning(owner, { id, fence }));
    },
  };
}
