import type { Clock, Finder, TaskHint } from "@tickwheel/core";
import type { DbClock } from "../runtime/db-clock.js";
import type { DueEntries } from "./due-entries.js";
import { type FoundTask, foundTask } from "./found-task.js";
import type { Executions } from "../held/executions.js";
import type { TasksForOthers } from "../held/tasks-for-others.js";
import type { ReadyQueue } from "./ready-queue.js";
import type { TypeDirectory } from "../types/type-directory.js";

/** The finder of tasks that this node knew in time. */
export const byWheel = (): Finder => "wheel";

interface FeedParts {
  clock: Pick<Clock, "monotonicMs">;
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
 * that this node cannot run, or has just left to others, are dropped, and those of a paused type.
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
    const { entries, ready } = this.parts;
    const { nowMonoMs, readyUntil } = this.moment();
    let haveAllRoom = true;
    for (const hint of hints) {
      if (!this.isWanted(hint)) continue;
      const foundBy = finderOf(hint);
      const hasRoom =
        hint.dueAt <= readyUntil
          ? ready.push(foundTask(hint, foundBy, nowMonoMs), nowMonoMs)
          : entries.put(hint, foundBy, nowMonoMs);
      haveAllRoom &&= hasRoom;
    }
    this.tell();
    return haveAllRoom;
  }

  /** Takes tasks that have been here before: out of the wheel, or passed by a claim. False: not all found room. */
  giveAgain(tasks: readonly FoundTask[]): boolean {
    const { entries, ready } = this.parts;
    const { nowMonoMs, readyUntil } = this.moment();
    let haveAllRoom = true;
    for (const task of tasks) {
      if (!this.isWanted(task)) continue;
      const isReady = task.dueAt <= readyUntil;
      const hasRoom = isReady ? ready.push(task, nowMonoMs) : entries.put(task, task.foundBy, task.knownMonoMs);
      haveAllRoom &&= hasRoom;
    }
    this.tell();
    return haveAllRoom;
  }

  private moment(): { nowMonoMs: number; readyUntil: number } {
    const { clock, dbClock, leadMs } = this.parts;
    return { nowMonoMs: Math.round(clock.monotonicMs()), readyUntil: dbClock.earliestMs() + leadMs };
  }

  private isWanted({ id, typeId }: TaskHint): boolean {
    const { executions, types, left } = this.parts;
    if (types.executorOf(typeId) === undefined || types.isPaused(typeId)) return false;
    return !executions.isClaiming(id) && !left.has(id);
  }

  private tell(): void {
    this.entriesChanged();
    if (this.parts.ready.size > 0) this.readyChanged();
  }
}
