import type { Clock, Coordination, Telemetry } from "@tickwheel/core";

/** What a node can do without for a while: what it depends on, and the services of its engine. */
export type Part = "postgres" | "redis" | "heartbeat" | `engine.${string}`;

/** A part that does not work just now. */
export interface Degradation {
  part: Part;
  /** For how long, by this node's monotonic clock. */
  forMs: number;
  detail: string;
}

/** A call that may have failed. */
export type Outcome<T> = { ok: true; value: T } | { ok: false };

/** What does not work. */
export interface Failure {
  part: Part;
  /** Which of the part's operations. Default: the part has only one. */
  operation?: string;
  /** Why, for people. Default: the error's message. */
  detail?: string;
  error?: unknown;
}

interface Trouble {
  sinceMonoMs: number;
  /** The operations that fail, in the order in which they began to. */
  operations: Map<string, { sinceMonoMs: number; detail: string }>;
}

/**
 * What is wrong with a node just now. A part is degraded while any of its operations fails; one event (`cluster.redis.degraded`,
 * `engine.claim.degraded`) is emitted when that begins and one (`….recovered`) when it ends, however often the operations are tried in
 * between. Bounded by the number of operations.
 */
export class Conditions {
  private readonly troubles = new Map<Part, Trouble>();

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

  raise({ part, operation = part, error, detail = messageOf(error) }: Failure): void {
    const nowMonoMs = this.clock.monotonicMs();
    const trouble = this.troubles.get(part) ?? { sinceMonoMs: nowMonoMs, operations: new Map() };
    const sinceMonoMs = trouble.operations.get(operation)?.sinceMonoMs ?? nowMonoMs;
    trouble.operations.set(operation, { sinceMonoMs, detail });
    if (this.troubles.has(part)) return;
    this.troubles.set(part, trouble);
    const message = `${part} does not work: ${detail}`;
    this.telemetry.emit({ name: `${nameOf(part)}.degraded`, level: "warn", message, facts: { part }, error });
  }

  /** The operation works, or is not tried any more. */
  clear(part: Part, operation: string = part): void {
    const trouble = this.troubles.get(part);
    if (trouble?.operations.delete(operation) !== true || trouble.operations.size > 0) return;
    this.troubles.delete(part);
    const lastedMs = Math.round(this.clock.monotonicMs() - trouble.sinceMonoMs);
    const message = `${part} works again after ${lastedMs} ms`;
    this.telemetry.emit({ name: `${nameOf(part)}.recovered`, level: "info", message, facts: { part, lastedMs } });
  }

  /** Each degraded part, with the operation that has failed for the longest. */
  list(): Degradation[] {
    const nowMonoMs = this.clock.monotonicMs();
    return [...this.troubles].map(([part, { operations }]) => {
      const [first] = operations.values();
      return { part, forMs: nowMonoMs - first!.sinceMonoMs, detail: first!.detail };
    });
  }
}

const ANSWER = "answering";

/** Notes whether what the nodes talk through works just now. */
export function noteHealth(coordination: Pick<Coordination, "kind" | "health">, conditions: Conditions): void {
  const part = coordination.kind;
  const { available, detail } = coordination.health();
  if (available) conditions.clear(part, ANSWER);
  else conditions.raise({ part, operation: ANSWER, detail: detail ?? "it does not answer" });
}

function nameOf(part: Part): string {
  return part.startsWith("engine.") ? part : `cluster.${part}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
