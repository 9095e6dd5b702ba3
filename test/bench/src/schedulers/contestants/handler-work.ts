import { setTimeout as wait } from "node:timers/promises";
import { failsFirst, type HandlerBehaviour } from "./contestant.js";
import { RunLog, type Runs } from "./run-log.js";

/** When handlers started and when they ended, each oldest first; one that still runs has no end. */
export interface HandlerRuns {
  readonly starts: Runs;
  readonly ends: Runs;
}

/**
 * What the handler of a contestant's process does with each task. It takes down each start, and where it waits each
 * end.
 */
export class HandlerWork {
  readonly starts = new RunLog();
  private readonly ends = new RunLog();
  private readonly failed = new Set<number>();
  private takesMs = 0;

  constructor(private readonly behaviour: HandlerBehaviour) {}

  /** From now on each takes so long, where handlers wait. */
  take(ms: number): void {
    this.takesMs = ms;
  }

  /** All since the last call of this. */
  takeRuns(): HandlerRuns {
    return { starts: this.starts.take(), ends: this.ends.take() };
  }

  /** The handler. */
  run(n: number): Promise<void> | void {
    this.starts.add(n);
    switch (this.behaviour) {
      case "ends":
        return;
      case "hangs":
        return new Promise<void>(() => {});
      case "waits":
        return this.waitAndEnd(n);
      case "fails":
        if (!failsFirst(n) || this.failed.delete(n)) return;
        this.failed.add(n);
        throw new Error("meant to fail at the first attempt");
    }
  }

  private async waitAndEnd(n: number): Promise<void> {
    if (this.takesMs > 0) await wait(this.takesMs);
    this.ends.add(n);
  }
}
