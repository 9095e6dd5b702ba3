import { type DurationInput, parseDurationMs, TickwheelError } from "@tickwheel/core";
import type { DelayTaskService } from "@tickwheel/nestjs";
import type { VirtualTime } from "../time/virtual-time.js";
import type { SimulatedClusterOptions } from "./cluster-options.js";

/** A scenario under way. */
export interface PlayedScenario {
  /** Resolves when what is to be done at once is done. */
  played: Promise<unknown>;
  /** When the next of what is done later begins, by the run's time; Infinity: nothing does. */
  nextAtMs: () => number;
  /** Whether all that was to be done later has been done. */
  isDone: () => boolean;
  /** What one of them threw. */
  failure: () => Error | null;
}

export function playScenario(
  scenario: SimulatedClusterOptions["scenario"],
  { tasks, time }: { tasks: DelayTaskService; time: VirtualTime },
): PlayedScenario {
  const fromMs = time.monotonicMs();
  const planned = new Set<{ atMs: number }>();
  let failure: Error | null = null;
  const at = (delay: DurationInput, work: () => Promise<unknown>): void => {
    const delayMs = parseDurationMs(delay);
    if (delayMs === null) throw new TickwheelError("VALIDATION_FAILED", `${JSON.stringify(delay)} is no duration`);
    const step = { atMs: fromMs + delayMs };
    planned.add(step);
    const fail = (cause: unknown): void =>
      void (failure ??= new Error(`What the scenario does at ${delay} failed`, { cause }));
    time.setTimer(step.atMs - time.monotonicMs(), () => {
      void work()
        .catch(fail)
        .finally(() => planned.delete(step));
    });
  };
  return {
    played: Promise.resolve(scenario({ tasks, at })),
    nextAtMs: () => Math.min(...[...planned].map(({ atMs }) => atMs)),
    isDone: () => planned.size === 0,
    failure: () => failure,
  };
}
