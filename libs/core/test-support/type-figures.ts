import type { TypeFigures } from "../src/ports/figure-store.js";

/** The figures of a type of which nothing has run and nothing is due, but for these changes. */
export function typeFigures(changes: Partial<TypeFigures> = {}): TypeFigures {
  return {
    typeId: 1,
    namespace: "default",
    type: "order.cancel",
    delivery: "handler",
    overdue: 0,
    oldestDueAt: null,
    running: 0,
    startedLately: 0,
    lastMinuteStarted: 0,
    lastStarted: 0,
    lastSucceeded: 0,
    lastSkipped: 0,
    lastFailed: 0,
    lastDead: 0,
    lastLatenessMs: null,
    lastError: null,
    ...changes,
  };
}
