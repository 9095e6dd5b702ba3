import type { Json } from "@tickwheel/core";
import type { HandlerContext } from "@tickwheel/executors";
import type { EntityManager } from "typeorm";
import type { FollowUpItem } from "@tickwheel/calls";

/** A task as its handler sees it. Its tags are for lists: `DelayTaskService.get` shows them. */
export interface DelayTask<Payload = unknown> {
  /** The same on every attempt. */
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly key: string | null;
  readonly payload: Payload;
  readonly scheduledAt: Date;
  readonly dueAt: Date;
  readonly createdAt: Date;
  /** 1 for the first. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly crashCount: number;
  readonly priority: number;
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
  /** {@inheritDoc HandlerContext.spawn} */
  spawn<Payloads extends readonly (Json | object)[]>(tasks: {
    readonly [Index in keyof Payloads]: SpawnItem<Payloads[Index]>;
  }): Promise<void>;
}

/** A task that a handler spawns: as one of `scheduleMany`, without a key. */
export type SpawnItem<Payload = Json | object> = FollowUpItem<Payload>;
