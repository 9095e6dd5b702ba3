import type { DelayTask, DelayTaskAround } from "@tickwheel/nestjs";

/** A call of a handler, as a test sees it. */
export interface HandlerRun {
  task: DelayTask;
  /** What the handler threw; absent: it returned. */
  error?: unknown;
}

/** Notes each call of a handler, in the order in which they ended. */
export class TestRuns {
  private readonly runs: HandlerRun[] = [];
  private readonly open = new Set<DelayTask>();

  /** Lies around every handler, outermost. */
  readonly around: DelayTaskAround = async (task, _context, next) => {
    this.open.add(task);
    try {
      const result = await next();
      this.runs.push({ task });
      return result;
    } catch (error) {
      this.runs.push({ task, error });
      throw error;
    } finally {
      this.open.delete(task);
    }
  };

  /** The handlers that have not returned, in words. */
  get underWay(): string[] {
    return [...this.open].map(({ type, id, key }) => `${type} ${key === null ? id : `"${key}"`}`);
  }

  /** How many have ended so far. */
  get count(): number {
    return this.runs.length;
  }

  /** Those that ended since so many had ended. */
  since(count: number): HandlerRun[] {
    return this.runs.slice(count);
  }
}
