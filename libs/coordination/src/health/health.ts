import type { Clock, Coordination, Telemetry } from "@tickwheel/core";
import { tellingOf } from "./telling.js";

/** Parts that a node can do without for a while: what it depends on, the services of its engine, and other nodes. */
export type HealthPart = "postgres" | "redis" | "heartbeat" | "messages" | `engine.${string}` | `node ${string}`;

/** A part that does not work now. */
export interface HealthIssue {
  part: HealthPart;
  /** For how long, by this node's monotonic clock. */
  forMs: number;
  detail: string;
}

/** A call that may have failed. */
export type Outcome<T> = { ok: true; value: T } | { ok: false };

/**
 * Whether the operation is still tried. A failure of one that is not tried any more is over, because no success would
 * end it. It is asked repeatedly, so it must be quick.
 */
export type IsTried = () => boolean;

/** For an operation that is done once, and not repeated after a failure. */
export const ONCE: IsTried = () => false;

/** An operation that does not work. */
export interface Failure {
  part: HealthPart;
  isTried: IsTried;
  /** Which of the part's operations. Default: the part has only one. */
  operation?: string;
  /** Why, for people. Default: the error's message. */
  detail?: string;
  error?: unknown;
}

interface Trouble {
  sinceMonoMs: number;
  /** The failing operations, in the order in which they began to fail. */
  operations: Map<string, FailedOperation>;
  /** What began it. */
  detail: string;
  error: unknown;
  /** How it was told; null: not yet. */
  told: "aloud" | "quietly" | null;
  /** From when on it counts as the part's own failure. */
  ownSinceMonoMs: number;
}

interface FailedOperation {
  sinceMonoMs: number;
  detail: string;
  isTried: IsTried;
}

/** The owner: its failures end with it. */
interface Owner {
  troubles: Map<HealthPart, Trouble>;
  isAlive: IsTried;
}

/**
 * The failures of a node. A part is degraded while any of its operations fails. One event (`cluster.redis.degraded`,
 * `engine.claim.degraded`) is emitted when that begins, and one (`….recovered`) when it ends, however often the
 * operations are tried in between. For parts that fail because Postgres is away, both have the level `debug`, and the
 * first may come a moment late ({@link tellingOf}); one that fails on when Postgres is back is told anew.
 *
 * An operation counts as failing until it works, or until it is not tried any more. The reporter of a failure passes
 * `isTried` for the latter, and `look` asks it. So no failure outlasts its reason, whatever became of the work that met
 * it. Bounded by the number of operations.
 */
export class Health {
  constructor(
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    private readonly owner: Owner = { troubles: new Map(), isAlive: () => true },
  ) {}

  /** The same for a part of the node that may end earlier: its failures end with it. */
  within(isAlive: IsTried): Health {
    const { troubles, isAlive: isOuterAlive } = this.owner;
    return new Health(this.clock, this.telemetry, { troubles, isAlive: () => isOuterAlive() && isAlive() });
  }

  /**
   * Runs a call on the store. A failure is returned as a value, and Postgres is degraded until the same operation
   * works.
   *
   * @param isTried default: for as long as the owner is alive
   */
  async attempt<T>(operation: string, call: () => Promise<T>, isTried: IsTried = () => true): Promise<Outcome<T>> {
    try {
      const value = await call();
      this.clear("postgres", operation);
      return { ok: true, value };
    } catch (error) {
      this.raise({ part: "postgres", operation, detail: `${operation}: ${messageOf(error)}`, error, isTried });
      return { ok: false };
    }
  }

  raise({ part, operation = part, error, detail = messageOf(error), isTried }: Failure): void {
    const { troubles, isAlive } = this.owner;
    const nowMonoMs = this.clock.monotonicMs();
    const trouble = troubles.get(part) ?? beginning(nowMonoMs, detail, error);
    const sinceMonoMs = trouble.operations.get(operation)?.sinceMonoMs ?? nowMonoMs;
    trouble.operations.set(operation, { sinceMonoMs, detail, isTried: () => isAlive() && isTried() });
    const isNew = !troubles.has(part);
    troubles.set(part, trouble);
    if (trouble.told === "aloud") return;
    Object.assign(trouble, { detail, error });
    this.tell(part, trouble);
    if (part === "postgres" && isNew) this.quietOthers();
  }

  /** Whether Postgres fails for what this node cannot do without, such as its beats. */
  get isPostgresAway(): boolean {
    return this.owner.troubles.has("postgres");
  }

  /** The operation works. */
  clear(part: HealthPart, operation: string = part): void {
    this.end(part, operation, "works again");
  }

  /** Ends the failures of operations that are not tried any more. Called at each look at the cluster. */
  look(): void {
    for (const [part, { operations }] of this.owner.troubles)
      for (const [operation, { isTried }] of operations)
        if (!isTried()) this.end(part, operation, "is not needed any more");
    // Late beats are not reported again while they last.
    const beats = this.owner.troubles.get("heartbeat");
    if (beats?.told === "quietly") this.tell("heartbeat", beats);
  }

  /** Each degraded part, with the operation that has failed for the longest. */
  list(): HealthIssue[] {
    this.look();
    const nowMonoMs = this.clock.monotonicMs();
    return [...this.owner.troubles].map(([part, { operations }]) => {
      const [first] = operations.values();
      return { part, forMs: nowMonoMs - first!.sinceMonoMs, detail: first!.detail };
    });
  }

  /** Tells of a failure that was not told aloud yet, if and as it is time for it. */
  private tell(part: HealthPart, trouble: Trouble): void {
    const { error, ownSinceMonoMs, told } = trouble;
    const lastedMs = this.clock.monotonicMs() - ownSinceMonoMs;
    const isPostgresAway = this.owner.troubles.has("postgres");
    const telling = tellingOf({ part, error, lastedMs, isPostgresAway, wasQuiet: told === "quietly" });
    if (telling !== "later" && telling !== told) this.tellDegraded(part, trouble, telling);
  }

  /** For failures that are not told yet, it is known now why they fail. */
  private quietOthers(): void {
    for (const [part, trouble] of this.owner.troubles) if (trouble.told === null) this.tell(part, trouble);
  }

  private tellDegraded(part: HealthPart, trouble: Trouble, telling: "aloud" | "quietly"): void {
    trouble.told = telling;
    const { detail, error } = trouble;
    const message = `${part} does not work: ${detail}`;
    const level = telling === "aloud" ? "warn" : "debug";
    this.telemetry.emit({ name: `${nameOf(part)}.degraded`, level, message, facts: { part }, error });
  }

  private end(part: HealthPart, operation: string, how: string): void {
    const trouble = this.owner.troubles.get(part);
    if (trouble?.operations.delete(operation) !== true || trouble.operations.size > 0) return;
    this.owner.troubles.delete(part);
    if (trouble.told === null) this.tellDegraded(part, trouble, "quietly");
    const nowMonoMs = this.clock.monotonicMs();
    const lastedMs = Math.round(nowMonoMs - trouble.sinceMonoMs);
    const message = `${part} ${how} after ${lastedMs} ms`;
    const level = trouble.told === "aloud" ? "info" : "debug";
    this.telemetry.emit({ name: `${nameOf(part)}.recovered`, level, message, facts: { part, lastedMs } });
    if (part === "postgres") for (const other of this.owner.troubles.values()) other.ownSinceMonoMs = nowMonoMs;
  }
}

function beginning(sinceMonoMs: number, detail: string, error: unknown): Trouble {
  return { sinceMonoMs, operations: new Map(), detail, error, told: null, ownSinceMonoMs: sinceMonoMs };
}

const ANSWER = "answering";

/** Notes whether the medium works now. @param isTried whether it will be looked at again */
export function noteHealth(
  coordination: Pick<Coordination, "kind" | "health">,
  health: Health,
  isTried: IsTried = () => true,
): void {
  const part = coordination.kind;
  const { available, detail } = coordination.health();
  if (available) health.clear(part, ANSWER);
  else health.raise({ part, operation: ANSWER, detail: detail ?? "it does not answer", isTried });
}

function nameOf(part: HealthPart): string {
  return part.startsWith("engine.") ? part : `cluster.${part}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
