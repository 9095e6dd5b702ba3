import type { Finder, TaskHint } from "@tickwheel/core";
import type { DbClock } from "../runtime/db-clock.js";
import type { DueEntries } from "./due-entries.js";
import type { Executions } from "../held/executions.js";
import type { TasksForOthers } from "../held/tasks-for-others.js";
import type { ReadyQueue } from "./ready-queue.js";
import type { TypeDirectory } from "../types/type-directory.js";

/** The finder of whatever this node knew in time. */
export const byWheel = (): Finder => "wheel";

interface FeedParts {
  dbClock: DbClock;
  entries: DueEntries;
  ready: ReadyQueue;
  executions: Executions;
  types: TypeDirectory;
  left: Pick<TasksForOthers, "has">;
  /** How long before its due time a task may be claimed. */
  leadMs: number;
}

/**
 * Where every layer that finds work brings it: what is due goes to the ready queue, what is not yet due into the wheel,
 * what this node cannot run, or has just left to others, nowhere.
 */
export class DueFeed {
  private entriesChanged: () => void = () => undefined;
  private readyChanged: () => void = () => undefined;

  constructor(private readonly parts: FeedParts) {}

  /** Whom to tell that the wheel or the ready queue got something. */
  connect(listeners: { entriesChanged(): void; readyChanged(): void }): void {
    this.entriesChanged = () => listeners.entriesChanged();
    this.readyChanged = () => listeners.readyChanged();
  }

  /**
   * Takes what a layer found.
   *
   * @param finderOf which layer found a hint
   * @returns false: not all found room. What was left out is found again by the loaders and sweeps.
   */
  give<H extends TaskHint>(hints: readonly H[], finderOf: (hint: H) => Finder): boolean {
    const { dbClock, entries, ready, executions, types, left, leadMs } = this.parts;
    const readyUntil = dbClock.earliestMs() + leadMs;
    let haveAllRoom = true;
    for (const hint of hints) {
      if (!types.executorOf(hint.typeId) || executions.isClaiming(hint.id) || left.has(hint.id)) continue;
      const foundBy = finderOf(hint);
      const hasRoom = hint.dueAt <= readyUntil ? ready.push(hint, foundBy) : entries.put(hint, foundBy);
      haveAllRoom &&= hasRoom;
    }
    this.entriesChanged();
    if (ready.size > 0) this.readyChanged();
    return haveAllRoom;
  }
}
