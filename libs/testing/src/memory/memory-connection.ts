import { type CallerTransaction, TickwheelError } from "@tickwheel/core";
import type { StatementName } from "./statement-record.js";
import type { StatementOrigin, StatementScope } from "./statement-scope.js";

/** Where a statement is: `before` it reached the database, or `after` it was applied and before its reply arrives. */
export interface StatementPoint {
  statement: StatementName;
  phase: "before" | "after";
  request: unknown;
}

/** What a connection needs of its database. */
export interface StatementRunner {
  execute<T>(origin: StatementOrigin, statement: (scope: StatementScope) => T, within?: CallerTransaction): Promise<T>;
}

/**
 * One node's connection to a {@link MemoryDatabase}, and the place where a test injects faults.
 *
 * @example Kill a node in mid-claim: the claim is applied, its reply never arrives.
 * connection.gate = ({ statement, phase }) => {
 *   if (statement === "claim" && phase === "after") connection.kill();
 * };
 */
export class MemoryConnection {
  /** Called before and after every statement of this node; a promise holds the statement up. */
  gate: ((point: StatementPoint) => void | Promise<void>) | null = null;
  private readonly failures = new Map<StatementName, number>();
  private readonly lostReplies = new Map<StatementName, number>();
  private connected = true;
  private killed = false;

  constructor(
    readonly database: StatementRunner,
    readonly node: string,
  ) {}

  /** The next `times` of these statements never reach the database and throw `STORE_UNAVAILABLE`. */
  failNext(statement: StatementName, times = 1): void {
    this.failures.set(statement, times);
  }

  /** The next `times` of these statements are applied, but their sender gets `STORE_UNAVAILABLE`. */
  loseNextReply(statement: StatementName, times = 1): void {
    this.lostReplies.set(statement, times);
  }

  /** From now on no statement reaches the database: each throws `STORE_UNAVAILABLE`. */
  disconnect(): void {
    this.connected = false;
  }

  connect(): void {
    this.connected = true;
  }

  /** The node is dead: nothing that it sends is applied, nothing that it waits for arrives. Final. */
  kill(): void {
    this.killed = true;
  }

  /** For the stores: sends one statement. */
  async run<T>(
    sent: { statement: StatementName; request: unknown; within?: CallerTransaction },
    work: (scope: StatementScope) => T,
  ): Promise<T> {
    const { statement, request, within } = sent;
    await this.pass({ statement, phase: "before", request });
    if (!this.connected || countDown(this.failures, statement)) throw unavailable(`${statement} was not sent`);
    const reply = await this.database.execute({ node: this.node, statement, request }, work, within);
    await this.pass({ statement, phase: "after", request });
    if (countDown(this.lostReplies, statement)) throw unavailable(`The reply to ${statement} was lost`);
    return reply;
  }

  private async pass(point: StatementPoint): Promise<void> {
    if (!this.killed) await this.gate?.(point);
    if (this.killed) await new Promise<never>(() => undefined);
  }
}

function countDown(counts: Map<StatementName, number>, statement: StatementName): boolean {
  const left = counts.get(statement) ?? 0;
  if (left > 0) counts.set(statement, left - 1);
  return left > 0;
}

function unavailable(message: string): TickwheelError {
  return new TickwheelError("STORE_UNAVAILABLE", message);
}
