import type { ClockTimer } from "@tickwheel/core";
import type { ExecutionEntry } from "../held/executions.js";
import type { EngineContext } from "../runtime/engine-context.js";

const VERIFY = "engine.verify";
/** When a verification without an answer is tried again. */
const VERIFY_AGAIN_MS = 250;

interface LateStartParts {
  /** The store has confirmed that it is this node's, and that nobody has asked to cancel it. */
  stillOurs: (entry: ExecutionEntry) => void;
  lost: (entry: ExecutionEntry) => void;
  /** All that one verification was about have been told. */
  answered: () => void;
  /** Verifications without an answer are over: these are to be looked at again. */
  again: (entries: readonly ExecutionEntry[]) => void;
}

/**
 * Starts long after their claim. They start only if they are still ours and no cancel was requested; while the store is
 * away they wait. A jump of the clock can make a claim look slow, so the time is read again, too.
 */
export class LateStarts {
  /** Left in doubt by a verification without an answer. */
  private unverified: ExecutionEntry[] = [];
  private timer: ClockTimer | null = null;
  /** Verifications under way. */
  private verifying = 0;

  constructor(
    private readonly context: Pick<EngineContext, "clock" | "dbClock" | "health" | "tasks">,
    private readonly parts: LateStartParts,
  ) {}

  async verify(late: readonly ExecutionEntry[]): Promise<void> {
    const { context, parts } = this;
    const refs = late.map(({ task: { id, owner, fence } }) => ({ id, owner, fence }));
    this.verifying++;
    try {
      const [valid] = await Promise.all([context.tasks.verifyStart(refs), context.dbClock.readAgain()]);
      context.health.clear(VERIFY);
      const ids = new Set(valid.map(({ id }) => id));
      for (const entry of late) {
        if (entry.state !== "claimed") continue;
        if (ids.has(entry.task.id)) parts.stillOurs(entry);
        else parts.lost(entry);
      }
      parts.answered();
    } catch (error) {
      this.verifyLater(late.filter(({ state }) => state === "claimed"));
      const isTried = (): boolean => this.verifying > 0 || this.timer !== null;
      context.health.raise({ part: VERIFY, error, isTried });
    }
    this.verifying--;
  }

  /** Nothing is left to verify. */
  clear(): void {
    this.unverified = [];
    this.timer?.clear();
    this.timer = null;
  }

  private verifyLater(late: readonly ExecutionEntry[]): void {
    if (late.length === 0) return;
    this.unverified.push(...late);
    this.timer ??= this.context.clock.setTimer(VERIFY_AGAIN_MS, () => {
      this.timer = null;
      this.parts.again(this.unverified.splice(0));
    });
  }
}
