import type { Reducer } from "@tickwheel/core";
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

export interface CancelOptions extends ManagerOption {
  /**
   * What is answered of a task that is cancelled: the task as it was, or only that it is. The latter costs less.
   * Default: `task`.
   */
  returning?: "task" | "id" | undefined;
}

/** At most one of these fields, with what is said of it. The others may be absent, undefined or null. */
export type AtMostOne<Fields, Names extends keyof Fields> = {
  [Name in Names]: Pick<Fields, Name> & { [Other in Exclude<Names, Name>]?: null | undefined };
}[Names];

/** When a task is due: `delay`, `scheduledAt`, or neither. */
export type DueOptions = AtMostOne<GivenTaskOptions, "delay" | "scheduledAt">;

/** How a field of this type may be merged. */
type ReducerOf<Value> = unknown extends Value
  ? Reducer
  : "replace" | (Value extends number ? "add" | "max" | "min" : Value extends readonly unknown[] ? "append" : never);

/** How the fields of a payload are merged, by their names. Where nothing is known of the payload: any names. */
export type MergeOf<Payload> = unknown extends Payload
  ? Readonly<Record<string, Reducer>>
  : { readonly [Field in keyof Payload]?: ReducerOf<Payload[Field]> | undefined };

/** Options of a task but for its time. */
interface OtherTaskOptions<Payload> extends Omit<GivenTaskOptions, "delay" | "scheduledAt" | "merge"> {
  /**
   * For `merge`, with a `key`: how a field of the payload and the same field of the stored one combine, by the field's
   * name. `add`: the exact sum of two numbers; `append`: the new list behind the stored one; `max`, `min`: the greater
   * or smaller number; `replace`, as of all other fields: the new value. Default: none.
   *
   * @example merge: { bytes: "add", files: "append" }
   */
  merge?: MergeOf<Payload> | null | undefined;
}

/**
 * A task's options when it is scheduled from code: `delay` or `scheduledAt`, not both. Null is as good as absent.
 *
 * @typeParam Payload names the fields that `merge` may have. Without it there is no `merge`, and the options fit every
 *   task
 */
export type TaskOptions<Payload = never> = OtherTaskOptions<Payload> & DueOptions & ManagerOption;

interface TypeOfItem<Payload> {
  /** Its type, by name or definition. */
  task: string | TaskDefinition<unknown, Payload>;
}

interface NamedItem<Payload> extends TypeOfItem<Payload> {
  /** Any JSON, at most 64 KiB and 32 levels deep. */
  payload: NoInfer<Payload>;
}

interface DefaultedPayload<Payload> {
  /** Any JSON, at most 64 KiB and 32 levels deep. Default: null. */
  payload?: NoInfer<Payload> | undefined;
}

/** A payload that is null where it is not given: only a type whose payload may be null can go without. */
export type PayloadOrNull<Payload> = null extends Payload
  ? DefaultedPayload<Payload>
  : Pick<NamedItem<Payload>, "payload">;

/** One of many tasks: its type, its payload and its options. */
export type TaskItem<Payload> = NamedItem<Payload> & OtherTaskOptions<NoInfer<Payload>> & DueOptions;

interface MemberOptions extends Omit<
  GivenTaskOptions,
  "delay" | "scheduledAt" | "onConflict" | "merge" | "maxWait" | "idempotencyKey"
> {}

/** A member of a batch: its type, its payload and its options. A key that a live task of the type has is refused. */
export type MemberItem<Payload> = NamedItem<Payload> & MemberOptions & DueOptions;

/** A task that a batch makes at its end; its `delay` counts from then. */
export type FollowUpItem<Payload> = TypeOfItem<Payload> &
  PayloadOrNull<Payload> &
  Omit<MemberOptions, "key"> &
  DueOptions;
