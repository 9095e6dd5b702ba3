import { type Clock, type Random, type Telemetry, TickwheelError, wait } from "@tickwheel/core";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** A wait is reported when it begins, then whenever it has lasted twice as long, then each minute. */
const TELL_FIRST_MS = 1_000;
const TELL_AT_LEAST_EACH_MS = 60_000;
/** A fail-over may lead a node to the former primary for some seconds. */
const READ_ONLY_PATIENCE_MS = 15_000;

interface PatienceParts {
  clock: Clock;
  random: Random;
  telemetry: Telemetry;
  /** Something waits. */
  waits: () => void;
}

/** One step of a start. */
export interface StartStep {
  /** For people: "registering the types". */
  doing: string;
  /** May run again after it has failed. */
  run(): Promise<unknown>;
}

/**
 * How a start survives an unavailable store: a step is tried again without limit, after pauses that double up to five
 * seconds, and the wait is reported. Any failure other than `STORE_UNAVAILABLE` ends the start: people must mend a
 * right, a version or a configuration. So does a server that has been read only for 15 seconds: it is a standby.
 */
export class StartRetries {
  constructor(private readonly parts: PatienceParts) {}

  /** As {@link through}, one after the other; a step may be added while another waits. */
  async throughAll(steps: readonly StartStep[], signal: AbortSignal): Promise<boolean> {
    for (const step of steps) if (!(await this.through(step, signal))) return false;
    return true;
  }

  /** Returns whether the step is done: false if `signal` was aborted. @throws what waiting cannot cure */
  async through(step: StartStep, signal: AbortSignal): Promise<boolean> {
    const { clock, random } = this.parts;
    const { doing } = step;
    const sinceMonoMs = clock.monotonicMs();
    let tellAtMs = 0;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const failure = await attempt(step);
      const waitedMs = Math.round(clock.monotonicMs() - sinceMonoMs);
      if (failure === null) {
        if (tellAtMs > 0) this.tellEnd(doing, waitedMs);
        return !signal.aborted;
      }
      if (failure.details["readOnly"] === true && waitedMs >= READ_ONLY_PATIENCE_MS) throw readOnly(failure, waitedMs);
      if (waitedMs >= tellAtMs) {
        this.tell({ doing, waitedMs, error: failure });
        tellAtMs = waitedMs + Math.min(Math.max(waitedMs, TELL_FIRST_MS), TELL_AT_LEAST_EACH_MS);
      }
      await wait(clock, pauseMs * (0.5 + 0.5 * random.next()), signal);
    }
    return false;
  }

  private tell({ doing, waitedMs, error }: { doing: string; waitedMs: number; error: TickwheelError }): void {
    this.parts.waits();
    this.parts.telemetry.emit({
      name: "node.start.waiting",
      level: "warn",
      message: `The start waits for Postgres, for ${seconds(waitedMs)} s so far, ${doing}: ${error.message}`,
      facts: { doing, waitedMs },
    });
  }

  private tellEnd(doing: string, waitedMs: number): void {
    const message = `The start goes on after ${seconds(waitedMs)} s without Postgres, ${doing}`;
    this.parts.telemetry.emit({ name: "node.start.resumed", level: "info", message, facts: { doing, waitedMs } });
  }
}

/** Null: done; else why the store is away. @throws any other failure */
async function attempt(step: StartStep): Promise<TickwheelError | null> {
  try {
    await step.run();
    return null;
  } catch (error) {
    if (error instanceof TickwheelError && error.code === "STORE_UNAVAILABLE") return error;
    throw error;
  }
}

function readOnly(failure: TickwheelError, waitedMs: number): TickwheelError {
  const message = `For ${seconds(waitedMs)} s the database's address has led to a server that is read only: ${failure.message}`;
  return new TickwheelError("CONFIGURATION_INVALID", message, { details: failure.details, cause: failure });
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
