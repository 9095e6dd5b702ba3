import type { Clock, Telemetry } from "@tickwheel/core";

/** What a node can do without for a while. */
export type Part = "postgres" | "redis" | "heartbeat";

/** A part that does not work just now. */
export interface Degradation {
  part: Part;
  /** For how long, by this node's monotonic clock. */
  forMs: number;
  detail: string;
}

/** A call that may have failed. */
export type Outcome<T> = { ok: true; value: T } | { ok: false };

interface Trouble {
  sinceMonoMs: number;
  detail: string;
}

/**
 * What is wrong just now. A part is degraded while any of its operations fails, and one event is emitted when that begins and one when
 * it ends, however often the operations are tried in between.
 */
export class Conditions {
  private readonly troubles = new Map<Part, Map<string, Trouble>>();

  constructor(
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
  ) {}

  /** Runs a call on the store; its failure is a value, and a condition of Postgres until the same operation works again. */
  async attempt<T>(operation: string, call: () => Promise<T>): Promise<Outcome<T>> {
    try {
      const value = await call();
      this.clear("postgres", operation);
      return { ok: true, value };
    } catch (error) {
      this.raise({ part: "postgres", operation, detail: `${operation}: ${messageOf(error)}`, error });
      return { ok: false };
    }
  }

  raise({ part, operation, detail, error }: { part: Part; operation: string; detail: string; error?: unknown }): void {
    const ofPart = this.troubles.get(part) ?? new Map<string, Trouble>();
    this.troubles.set(part, ofPart);
    const known = ofPart.get(operation);
    ofPart.set(operation, { sinceMonoMs: known?.sinceMonoMs ?? this.clock.monotonicMs(), detail });
    if (ofPart.size > 1 || known !== undefined) return;
    this.telemetry.emit({ name: `cluster.${part}.degraded`, level: "warn", message: detail, facts: { part }, error });
  }

  /** The operation works, or is not tried any more. */
  clear(part: Part, operation: string): void {
    const ofPart = this.troubles.get(part);
    if (ofPart?.delete(operation) !== true || ofPart.size > 0) return;
    this.telemetry.emit({
      name: `cluster.${part}.recovered`,
      level: "info",
      message: `${part} works again`,
      facts: { part },
    });
  }

  list(): Degradation[] {
    const nowMonoMs = this.clock.monotonicMs();
    return [...this.troubles].flatMap(([part, ofPart]) => {
      const [first] = [...ofPart.values()].sort((left, right) => left.sinceMonoMs - right.sinceMonoMs);
      return first === undefined ? [] : [{ part, forMs: nowMonoMs - first.sinceMonoMs, detail: first.detail }];
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
