import type { Clock, Telemetry } from "@tickwheel/core";

/** A part of this node that does not work just now. */
export interface Condition {
  part: string;
  sinceMonoMs: number;
  detail: string;
}

/**
 * Which parts of a node fail at present. Each change is told once: the first failure as a warning, the recovery as information; what
 * goes on failing is not repeated. Bounded by the number of parts.
 */
export class Conditions {
  private readonly failing = new Map<string, Condition>();

  constructor(
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
  ) {}

  failed(part: string, error: unknown): void {
    const detail = error instanceof Error ? error.message : String(error);
    const known = this.failing.get(part);
    if (known) {
      known.detail = detail;
      return;
    }
    this.failing.set(part, { part, sinceMonoMs: this.clock.monotonicMs(), detail });
    const name = `engine.${part}.failed`;
    this.telemetry.emit({ name, level: "warn", message: `${part} fails and is tried again: ${detail}`, error });
  }

  works(part: string): void {
    const condition = this.failing.get(part);
    if (!condition) return;
    this.failing.delete(part);
    const failedForMs = Math.round(this.clock.monotonicMs() - condition.sinceMonoMs);
    this.telemetry.emit({
      name: `engine.${part}.recovered`,
      level: "info",
      message: `${part} works again after ${failedForMs} ms`,
      facts: { failedForMs },
    });
  }

  list(): Condition[] {
    return [...this.failing.values()];
  }
}
