import type { Finder, TaskHint } from "@tickwheel/core";
import type { DbClock } from "../runtime/db-clock.js";
import type { DueEntries } from "./due-entries.js";
import type { Executions } from "../held/executions.js";
import type { TasksForOthers } from "../held/tasks-for-others.js";
import type { ReadyQueue } from "./ready-queue.js";
import type { TypeDirectory } from "../types/type-directory.js";

/** The finder of tasks that this node knew in time. */
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
 * Where every layer that finds work brings it. Due tasks go to the ready queue, tasks not yet due into the wheel. Tasks
 * that this node cannot run, or has just left to others, are dropped.
 */
export class DueFeed {
  private entriesChanged: () => void = () => undefined;
  private readyChanged: () => void = () => undefined;

  constructor(private readonly parts: FeedParts) {}

  /** Called when the wheel or the ready queue got an entry. */
  connect(listeners: { entriesChanged(): void; readyChanged(): void }): void {
    this.entriesChanged = () => listeners.entriesChanged();
    this.readyChanged = () => listeners.readyChanged();
  }

  /**
   * Takes what a layer found.
   *
   * @param finderOf which layer found a hint
   * @returns false: not all found room. The loaders and sweeps find the rest again.
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
