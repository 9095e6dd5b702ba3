import type { Json } from "@tickwheel/core";
import type { HandlerContext } from "@tickwheel/executors";
import type { EntityManager } from "typeorm";
import type { FollowUpItem } from "@tickwheel/calls";

/**
 * A task as its handler sees it: as it was when this attempt began. Its tags are for lists: `DelayTaskService.get`
 * shows them.
 *
 * @typeParam Payload what the schema of its definition makes of what is stored; without a schema what is stored
 * @example
 * async handle({ id, payload, attempt, maxAttempts }: DelayTask<PayloadOf<typeof CancelOrder>>) {
 *   await this.orders.cancel(payload.orderId, { isLastTry: attempt === maxAttempts });
 * }
 */
export interface DelayTask<Payload = unknown> {
  /** UUIDv7; the same on every attempt. */
  readonly id: string;
  /** The namespace of the application that owns it; `default` unless the module's options name another. */
  readonly namespace: string;
  /** What is to be done, by the name that its handler has; such as `order.cancel`. */
  readonly type: string;
  /** At most one live task of the type has it; null: it has none. */
  readonly key: string | null;
  /** What its creator gave; null: nothing. */
  readonly payload: Payload;
  /** When it was to run, as asked for; a resume moves it. */
  readonly scheduledAt: Date;
  /** When this attempt was due: the scheduled time, or the next try after a failed attempt or a snooze. */
  readonly dueAt: Date;
  /** When it was written, by the clock of the database. */
  readonly createdAt: Date;
  /** The number of this attempt, 1 for the first. One that a crash, a release or a snooze ended does not count. */
  readonly attempt: number;
  /** After so many failed attempts it is dead, 1 to 1,000; default 3. */
  readonly maxAttempts: number;
  /** How many attempts ended with their node, 0 or more. They do not count as failed. */
  readonly crashCount: number;
  /** 0 first … 9, among tasks that are due together; default 5. */
  readonly priority: number;
  /** Rises with every claim; hand it to systems that can refuse an older one. */
  readonly fence: number;
}

/**
 * What a handler gets beside its task; `transaction`, `once` and `walk` run on the application's own database.
 *
 * @typeParam Transaction what they give of a transaction. Default: TypeORM's EntityManager. With the option
 *   `transactions` it is the library's own
 * @example async handle(task: DelayTask<Bill>, ctx: DelayTaskContext<Prisma.TransactionClient>) { … }
 */
export interface DelayTaskContext<Transaction = EntityManager> extends HandlerContext<Transaction> {
  /**
   * Makes tasks that are written when this one ends well, in the same statement: all of them, or none if the attempt
   * fails, crashes or is taken over. Where the task is a member of a batch they are members of it, too: the batch does
   * not complete in between. With `transaction` call it before that, or within.
   *
   * @param tasks as those of `scheduleMany`, without keys; at most 1,000 and 1 MiB of payloads for each execution
   * @throws TickwheelError `VALIDATION_FAILED` with every fault, and nothing of this call is spawned;
   *   `TRANSACTION_ALREADY_COMMITTED` once `transaction` has completed the task
   * @example await ctx.spawn(splitRange(day, { size: 1_000 }).map((range) => ({ task: SettleRange, payload: range })));
   */
  spawn<Payloads extends readonly (Json | object)[]>(tasks: {
    readonly [Index in keyof Payloads]: SpawnItem<Payloads[Index]>;
  }): Promise<void>;
}

/** A task that a handler spawns: as one of `scheduleMany`, without a key. */
export type SpawnItem<Payload = Json | object> = FollowUpItem<Payload>;
