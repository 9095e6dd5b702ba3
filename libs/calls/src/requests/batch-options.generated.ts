// Made by `npm run generate`.
import type { Json } from "@tickwheel/core";
import type { DeadlineInput } from "@tickwheel/contract";
import type { FollowUpItem, MemberItem } from "./task-options.js";

/** A batch as code makes it. Null is as good as absent. */
export interface BatchOptions<
  Payloads extends readonly (Json | object)[] = readonly (Json | object)[],
  Complete extends Json | object = Json | object,
  Success extends Json | object = Json | object,
> {
  /**
   * One batch of the namespace has it, as long as it is kept: with a name a batch can be made again safely, for a
   * second one is refused as `BATCH_EXISTS`. 1 to 128 characters of `A-Z a-z 0-9 . _ : -`. Default: none.
   */
  name?: string | null | undefined;
  /**
   * Tasks without `merge`, `maxWait`, `idempotencyKey`, and with no `onConflict` but `reject`. At most 10,000. Default:
   * none.
   */
  tasks?: { readonly [Index in keyof Payloads]: MemberItem<Payloads[Index]> } | null | undefined;
  /**
   * Makes so many members, 1 to 1000, of the one task in `tasks`, which has no `key`; `nodes`: one for each live node
   * that runs its type. Each knows its place. Default: none.
   */
  shards?: number | "nodes" | null | undefined;
  /**
   * Made once, when every member has ended; its `delay` counts from then. A task without `key`, without `merge`,
   * `maxWait`, `idempotencyKey`, and with no `onConflict` but `reject`. Default: nothing is.
   */
  onComplete?: FollowUpItem<Complete> | null | undefined;
  /**
   * Made once, when every member has succeeded, also after retries of dead ones; its `delay` counts from then. A task
   * without `key`, without `merge`, `maxWait`, `idempotencyKey`, and with no `onConflict` but `reject`. Default:
   * nothing is.
   */
  onSuccess?: FollowUpItem<Success> | null | undefined;
  /**
   * When it is looked who is not done: a delay from now in milliseconds or such as `4h`, or an ISO 8601 instant with
   * offset; at most 100 years from now. With one that has passed it is looked at once. Default: never.
   */
  deadline?: DeadlineInput | null | undefined;
  /** The first member that ends dead stops the batch. Not together with `retryDead`. Default: `false`. */
  failFast?: boolean | null | undefined;
  /** Members that are dead at the `deadline` are retried once; the batch waits for that. Default: `false`. */
  retryDead?: boolean | null | undefined;
  /** It takes no further members, and completes when these have ended. Default: `false`. */
  seal?: boolean | null | undefined;
}
