import type { TypeId } from "@tickwheel/core";
import { ShrinkingMap } from "../held/shrinking-map.js";
import { type FoundTask, NEVER } from "./found-task.js";
import { QueueByType } from "./queue-by-type.js";

/**
 * Tasks that are due and wait to be claimed, in the order of their turn, separate for each type. A task is in it once,
 * under the layer that brought it first. Bounded by `capacity`; a sweep finds the rest again.
 */
export class ReadyQueue {
  private readonly tasks = new QueueByType<FoundTask>((task) => task);
  private readonly ids = new ShrinkingMap<string, true>();
  /** Pushed since the last offer. */
  private unoffered: FoundTask[] = [];

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.ids.size;
  }

  get isFull(): boolean {
    return this.size >= this.capacity;
  }

  sizeOf(typeId: TypeId): number {
    return this.tasks.sizeOf(typeId);
  }

  /** False: there is no room. */
  push(task: FoundTask, nowMonoMs: number): boolean {
    if (this.ids.has(task.id)) return true;
    if (this.isFull) return false;
    if (task.readyMonoMs === NEVER) task.readyMonoMs = nowMonoMs;
    task.offeredMonoMs = NEVER;
    this.unoffered.push(task);
    this.tasks.push(task);
    this.ids.set(task.id, true);
    return true;
  }

  /**
   * A claim may now take what is in the queue: a task that it leaves waits for a place from here on. Each task is
   * stamped once.
   */
  offer(nowMonoMs: number): void {
    if (this.unoffered.length === 0) return;
    for (const task of this.unoffered) task.offeredMonoMs = nowMonoMs;
    this.unoffered = [];
  }

  /** The first task of those types that `isOpen` lets through; it stays. */
  peek(isOpen: (typeId: TypeId) => boolean): FoundTask | undefined {
    return this.tasks.peek(isOpen);
  }

  /** Takes out what `peek` has just given. */
  take(first: FoundTask): void {
    this.tasks.take(first);
    this.ids.delete(first.id);
  }

  /** Forgets all tasks of those types; a sweep finds them again. */
  drop(isDropped: (typeId: TypeId) => boolean): void {
    for (const { id } of this.tasks.drop(isDropped)) this.ids.delete(id);
  }

  /** A copy of everything, in no order. */
  all(): FoundTask[] {
    return this.tasks.all();
  }

  clear(): void {
    this.tasks.clear();
    this.ids.clear();
    this.unoffered = [];
  }
}
