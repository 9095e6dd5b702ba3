import type { Moment, Strike } from "./fault-draw.js";
import type { DoneEffect, RunJournal, SimulatedTask } from "./run-journal.js";

/** A fault of a run. */
export interface DrawnFault extends Strike {
  /** The node's number. */
  node: number;
  /** Where its handler was. */
  moment: Moment;
  /** The task that it ran there. */
  taskId: string;
}

interface ReportParts {
  seed: number;
  hash: string;
  virtualMs: number;
  faults: readonly DrawnFault[];
  journal: RunJournal;
}

/** A failed assertion shows so many lines of what happened. */
const SHOWN_LINES = 80;

/** What a run has come to. Its assertions throw an `Error` that tells the seed, the faults and the task's life. */
export class ClusterReport {
  constructor(private readonly parts: ReportParts) {}

  get seed(): number {
    return this.parts.seed;
  }

  /** Equal for two runs that did the same. */
  get hash(): string {
    return this.parts.hash;
  }

  /** How long the run was by its own time, in milliseconds. */
  get virtualMs(): number {
    return this.parts.virtualMs;
  }

  /** The faults that were drawn, oldest first. */
  get faults(): readonly DrawnFault[] {
    return this.parts.faults;
  }

  /** The effects that were done, oldest first. */
  get effects(): readonly DoneEffect[] {
    return this.parts.journal.effects;
  }

  /** The tasks as they are at the end. */
  get tasks(): readonly SimulatedTask[] {
    return this.parts.journal.allTasks();
  }

  /**
   * The effect was done exactly once. A call that repeats an earlier one by its idempotency key is not counted.
   *
   * @throws Error otherwise
   * @example report.expectOnce("charge", "42");
   */
  expectOnce(name: string, key: string): this {
    const count = this.count(name, key);
    if (count === 1) return this;
    throw this.failed(`Expected the effect ${name} "${key}" exactly once, and it was done ${times(count)}`, key);
  }

  /** The effect was done at least once. @throws Error otherwise */
  expectAtLeastOnce(name: string, key: string): this {
    if (this.count(name, key) > 0) return this;
    throw this.failed(`Expected the effect ${name} "${key}" at least once, and it was never done`, key);
  }

  /** Every task has succeeded. @throws Error otherwise, about the first that has not */
  expectAllSucceeded(): this {
    const other = this.tasks.find(({ state }) => state !== "succeeded");
    if (!other) return this;
    const { type, key, id, state, lastError } = other;
    const why = lastError === null ? "" : `; its last error is ${lastError.split("\n")[0]}`;
    throw this.failed(`Expected every task to succeed, and ${type} ${key ?? id} is ${state}${why}`, key ?? id);
  }

  /**
   * What happened, a line each: nodes, faults, and the lives of tasks.
   *
   * @param key only tasks with this key or id, and tasks that did an effect with it. Default: all
   */
  story(key?: string): string {
    const meant = new Set(this.tasks.filter((task) => task.key === key || task.id === key).map(({ id }) => id));
    for (const effect of this.effects) if (effect.key === key && effect.taskId !== null) meant.add(effect.taskId);
    return this.parts.journal.story((taskId) => key === undefined || meant.has(taskId)).join("\n");
  }

  /** For what judges by itself: the same error as the assertions throw. */
  failed(message: string, key?: string, cause?: unknown): Error {
    const lines = this.story(key).split("\n");
    const left = lines.length > SHOWN_LINES ? [`  … and ${lines.length - SHOWN_LINES} lines more`] : [];
    const story = [...lines.slice(0, SHOWN_LINES), ...left].join("\n");
    return new Error(`${message}.\nSeed ${this.seed} runs it again. What happened:\n${story}`, { cause });
  }

  private count(name: string, key: string): number {
    return this.effects.filter((done) => done.name === name && done.key === key && !done.isRepeat).length;
  }
}

function times(count: number): string {
  return count === 0 ? "never" : `${count} times`;
}
