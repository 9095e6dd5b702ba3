import type { Json } from "@tickwheel/core";
import { type DeadlineInput } from "@tickwheel/contract";
import type { TaskItem } from "./task-options.js";

/** A member of a batch: its type, its payload and its options. A key that a live task of the type has is refused. */
export type MemberItem<Payload> = Omit<TaskItem<Payload>, "onConflict" | "merge" | "maxWait" | "idempotencyKey">;

/** A task that a batch makes at its end; its `delay` counts from then. Default payload: null. */
export type FollowUpItem<Payload> = Omit<MemberItem<Payload>, "key" | "payload"> & {
  payload?: NoInfer<Payload> | undefined;
};

/** A batch as code makes it. Null is as good as absent. */
export interface BatchOptions<
  Payloads extends readonly (Json | object)[] = readonly (Json | object)[],
  Complete extends Json | object = Json | object,
  Success extends Json | object = Json | object,
> {
  /**
   * One batch of the namespace has it, as long as it is kept: 1 to 128 characters of `A-Z a-z 0-9 . _ : -`. Default:
   * none. With a name a batch can be made again safely: a second one is refused as `BATCH_EXISTS`.
   */
  name?: string | null | undefined;
  /** Its first members, at most 10,000. Default: none. */
  tasks?: { readonly [Index in keyof Payloads]: MemberItem<Payloads[Index]> } | null | undefined;
  /**
   * Makes so many members of the one task in `tasks`, 1 to 1,000, each with its place (`shard`); `"nodes"`: one for
   * each live node that runs the type. Default: `tasks` are the members.
   */
  shards?: number | "nodes" | null | undefined;
  /** Made once, when every member has ended, however it did. Default: nothing is. */
  onComplete?: FollowUpItem<Complete> | null | undefined;
  /** Made once, when every member has succeeded, also after retries of dead ones. Default: nothing is. */
  onSuccess?: FollowUpItem<Success> | null | undefined;
  /**
   * When it is looked who is not done: a delay from now (milliseconds or `"4h"`), or an instant (a Date, or ISO 8601
   * with offset), at most 100 years from now. One that has passed is allowed: then it is looked at once. Default:
   * never.
   */
  deadline?: DeadlineInput | null | undefined;
  /** The first member that ends dead stops the batch. Not together with `retryDead`. Default false. */
  failFast?: boolean | null | undefined;
  /** Members that are dead at the `deadline` are retried once; the batch waits for that. Default false. */
  retryDead?: boolean | null | undefined;
  /** Whether it takes no further members, so that it completes when these have ended. Default false: see `seal`. */
  seal?: boolean | null | undefined;
}
