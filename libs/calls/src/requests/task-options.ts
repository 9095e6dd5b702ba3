import type { TaskDefinition } from "./define-task.js";
import type { GivenTaskOptions } from "./task-options.generated.js";

/** Join this transaction instead of one of Tickwheel's own. */
export interface ManagerOption {
  /**
   * An open transaction of the application's: with `dataSource` a TypeORM EntityManager or QueryRunner, or anything
   * with `query(sql, parameters)`; with `transactions` what that library calls a transaction. A module with neither of
   * them refuses it, and so does one whose library it is not of: `TRANSACTION_UNAVAILABLE`. Default: a transaction of
   * Tickwheel's own.
   */
  manager?: object | undefined;
}

/** A task's options when it is scheduled from code. Null is as good as absent. */
export interface TaskOptions extends GivenTaskOptions, ManagerOption {}

/** One of many tasks: its type, its payload and its options. */
export interface TaskItem<Payload> extends Omit<TaskOptions, "manager"> {
  /** Its type, by name or definition. */
  task: string | TaskDefinition<unknown, Payload>;
  /** Any JSON, at most 64 KiB and 32 levels deep. */
  payload: NoInfer<Payload>;
}

/** A member of a batch: its type, its payload and its options. A key that a live task of the type has is refused. */
export type MemberItem<Payload> = Omit<TaskItem<Payload>, "onConflict" | "merge" | "maxWait" | "idempotencyKey">;

/** A task that a batch makes at its end; its `delay` counts from then. Default payload: null. */
export type FollowUpItem<Payload> = Omit<MemberItem<Payload>, "key" | "payload"> & {
  payload?: NoInfer<Payload> | undefined;
};
