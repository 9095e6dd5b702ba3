import { turns } from "@tickwheel/core";
import type { PreviewedInstant } from "@tickwheel/schedules";

/**
 * Works out previews beside all else that a node does: in turns that let the loop go on, and of one namespace one after
 * the other, so that nobody's many previews take the turns of others.
 */
export class SchedulePreviews {
  /** The last preview of each namespace that has one under way. */
  private readonly last = new Map<string, Promise<unknown>>();

  /** All these instants, once those previews of the namespace are done that were asked for before. */
  async tell(namespace: string, instants: Iterable<PreviewedInstant>): Promise<PreviewedInstant[]> {
    const told = (this.last.get(namespace) ?? Promise.resolve()).then(() => inTurns(instants));
    const over = told.catch(() => undefined);
    this.last.set(namespace, over);
    try {
      return await told;
    } finally {
      if (this.last.get(namespace) === over) this.last.delete(namespace);
    }
  }
}

async function inTurns(instants: Iterable<PreviewedInstant>): Promise<PreviewedInstant[]> {
  const told: PreviewedInstant[] = [];
  for (const instant of instants) {
    told.push(instant);
    if (turns.isOver()) await turns.next();
  }
  return told;
}
