// Made by `npm run generate`.
import type { Json, DurationInput } from "@tickwheel/core";

/** What a wait between attempts is told by. */
export interface BackoffFields {
  /**
   * `fixed`: always `delay`. `exponential`: `initial`, doubled up to `max`. `ladder`: `delays`, one after the other.
   * `alipay` and `rocketmq` are ladders. No default.
   */
  kind: "fixed" | "exponential" | "ladder" | "alipay" | "rocketmq";
  /** For `fixed`: the wait. Milliseconds, or a text such as `"15m"`. Default: none. */
  delay?: DurationInput | undefined;
  /**
   * For `ladder`: the waits after the first, second … failed attempt; the last one is repeated. At most 100. Each:
   * Milliseconds, or a text such as `"15m"`. Default: none.
   */
  delays?: readonly DurationInput[] | undefined;
  /** For `exponential`: the first wait. Milliseconds, or a text such as `"15m"`. Default: 1 s. */
  initial?: DurationInput | null | undefined;
  /** For `exponential`: the longest wait. Milliseconds, or a text such as `"15m"`. Default: 1 h. */
  max?: DurationInput | null | undefined;
  /** A share of the wait by which it is longer or shorter by chance. 0 to 1. Default: 0.2. */
  jitter?: number | null | undefined;
}

/** The wait between attempts: `fixed` needs its `delay`, `ladder` its `delays`. */
export type BackoffInput =
  | (Omit<BackoffFields, "delay"> & { kind: "fixed"; delay: DurationInput })
  | (Omit<BackoffFields, "delays"> & { kind: "ladder"; delays: readonly DurationInput[] })
  | (BackoffFields & { kind: "exponential" | "alipay" | "rocketmq" });

/** What may be changed of a task that waits; at least one field. */
export interface TaskChangesInput {
  /** How long from now it is due, at most 100 years. Milliseconds, or a text such as `"15m"`. Default: as it is. */
  delay?: DurationInput | null | undefined;
  /**
   * When it is due; one that has passed means at once. Not together with `delay`. A Date, or ISO 8601 with offset.
   * Default: as it is.
   */
  scheduledAt?: Date | string | null | undefined;
  /** Any JSON, at most 64 KiB and 32 levels deep; given back as received, digit for digit. Default: as it is. */
  payload?: Json | undefined;
  /** 0 first; orders tasks that are due together. 0 to 9. Default: as it is. */
  priority?: number | null | undefined;
  /** Attempts before it is dead. 1 to 1,000. Default: as it is. */
  maxAttempts?: number | null | undefined;
}

/** What a delivery is told by. */
export interface DeliverFields {
  /**
   * `webhook`: by an HTTP request to `url`. `pull`: consumers fetch it, in whatever language. The others: published to
   * a message broker. Whether it is a webhook, pulled or published is fixed by the type's first task. No default.
   */
  kind: "webhook" | "pull" | "amqp" | "nats" | "kafka" | "redis";
  /**
   * For `webhook`: a public address by https, or one that the node is configured to allow. At most 2,048 characters.
   * Default: none.
   */
  url?: string | undefined;
  /** For `webhook` and brokers: further headers of the request or message, an object of texts. Default: none. */
  headers?: Readonly<Record<string, string>> | null | undefined;
  /**
   * For `webhook`: what the body of a 2xx answer must be, without spaces around it; another one is a failed attempt. 1
   * to 256 characters. Default: any.
   */
  expectBody?: string | null | undefined;
  /**
   * For brokers: the name of a target in the options of the nodes. It is of this kind. 1 to 64 characters of
   * `A-Z a-z 0-9 . _ : -`. Default: none.
   */
  to?: string | undefined;
  /** For brokers: the routing key, subject, topic or stream; one that the target allows. Default: the target's own. */
  subject?: string | null | undefined;
}

/** How a task is delivered, where no handler of a node runs it. */
export type DeliverInput =
  | (DeliverFields & { kind: "webhook"; url: string })
  | (DeliverFields & { kind: "amqp" | "nats" | "kafka" | "redis"; to: string })
  | { kind: "pull" };

/** When a schedule runs: one of `cron`, `every` and `after`, and its policies. Null is as good as absent. */
export interface ScheduleRulesInput {
  /** 5 or 6 fields, seconds first. One of `cron`, `every` and `after`. At most 256 characters. Default: none. */
  cron?: string | null | undefined;
  /** IANA name: the clock of `cron` and `exclude`. Default: `UTC`. */
  timeZone?: string | null | undefined;
  /** At a fixed rate, at least 1 s. Milliseconds, or a text such as `"15m"`. Default: none. */
  every?: DurationInput | null | undefined;
  /** For `every`: from when it counts. A Date, or ISO 8601 with offset. Default: `startsAt`, else the creation. */
  anchor?: Date | string | null | undefined;
  /** With a fixed delay after the last end, at least 1 s. Milliseconds, or a text such as `"15m"`. Default: none. */
  after?: DurationInput | null | undefined;
  /** Instants before this one do not count. A Date, or ISO 8601 with offset. Default: none. */
  startsAt?: Date | string | null | undefined;
  /** Instants from this one on do not count. A Date, or ISO 8601 with offset. Default: none. */
  endsAt?: Date | string | null | undefined;
  /** Days `YYYY-MM-DD` on which nothing runs, in the zone. Default: none. */
  exclude?: readonly string[] | null | undefined;
  /** What becomes of instants that passed while nothing could run. Default: `last`. */
  misfire?: "last" | "skip" | "all" | null | undefined;
  /** For misfire `all`: how many are caught up. 1 to 1,000. Default: 100. */
  limit?: number | null | undefined;
  /** What becomes of instants that pass while a run executes. Default: `skip`. */
  overlap?: "skip" | "buffer" | "allow" | "cancel-other" | null | undefined;
  /** What a resume does with the instants of the pause. Default: `skip`. */
  onResume?: "skip" | "last" | null | undefined;
  /**
   * What a fixed hour does where the clock jumps over it: `shift` runs behind the gap, `skip` does not. Default:
   * `shift`.
   */
  gap?: "shift" | "skip" | null | undefined;
  /** Which of its two instants a fixed hour takes where the clock goes back. Default: `first`. */
  fold?: "first" | "last" | "both" | null | undefined;
  /**
   * Runs are spread by up to this long, never beyond the next instant. Milliseconds, or a text such as `"15m"`.
   * Default: 0.
   */
  jitter?: DurationInput | null | undefined;
  /** What has been due for longer is not caught up. Milliseconds, or a text such as `"15m"`. Default: no such limit. */
  catchUpLimit?: DurationInput | null | undefined;
  /** It pauses itself after so many failed occurrences in a row. 1 to 1,000. Default: never. */
  pauseAfterFailures?: number | null | undefined;
  /** Whether a run that waits for its retry counts as executing. Default: `false`. */
  holdForRetry?: boolean | null | undefined;
  /**
   * How long after its due time an occurrence may still start. Milliseconds, or a text such as `"15m"`. Default:
   * however late.
   */
  startDeadline?: DurationInput | null | undefined;
}

/** Options of a schedule's tasks. */
export interface OccurrenceInput {
  /** 0 first; orders tasks that are due together. 0 to 9. Default: the type's, else 5. */
  priority?: number | null | undefined;
  /** Attempts before an occurrence is dead. 1 to 1,000. Default: the type's, else 3. */
  maxAttempts?: number | null | undefined;
  /** The wait between attempts. Default: the type's, else exponential from 1 s to 1 h with a jitter of 0.2. */
  backoff?: BackoffInput | "alipay" | "rocketmq" | null | undefined;
  /**
   * How long one attempt may take, at most a day; of a webhook at least 1 s and at most 60 s, unless the node is
   * configured otherwise. Milliseconds, or a text such as `"15m"`. Default: the type's, else 60 s.
   */
  timeout?: DurationInput | null | undefined;
  /** What its tasks belong to. At most 16, each once. Each: 1 to 64 characters. Default: nothing. */
  tags?: readonly string[] | null | undefined;
  /** Where its tasks are sent. Default: a handler runs them. */
  deliver?: DeliverInput | null | undefined;
}

/** Which instants of a schedule that passed are to run. */
export interface BackfillInput {
  /** From this instant on. A Date, or ISO 8601 with offset. No default. */
  from: Date | string;
  /** Up to this instant, without it; not in the future. A Date, or ISO 8601 with offset. No default. */
  to: Date | string;
  /** It only tells what it would do. Default: `false`. */
  dryRun?: boolean | null | undefined;
  /**
   * Runs instants too of which nobody knows any more whether they ran, since only the newest runs of a schedule are
   * kept. Default: `false`.
   */
  includeUnknown?: boolean | null | undefined;
}

/** A pause of a type, a key or a namespace. */
export interface PauseInput {
  /** What people are told of it. 1 to 1,000 characters. Default: nothing. */
  reason?: string | null | undefined;
  /**
   * When it ends by itself, in the future and within 100 years; default: by a call alone. A Date, or ISO 8601 with
   * offset.
   */
  until?: Date | string | null | undefined;
}

/** How often tasks may start in the whole cluster. */
export interface RateInput {
  /** How many may start in `per`. 1 to 1,000,000. No default. */
  count: number;
  /**
   * In which time, at most a day. `count` and `per` come to 0.001 to 100,000 a second. Milliseconds, or a text such as
   * `"15m"`. Such as `1s`. No default.
   */
  per: DurationInput;
  /** How many may start at once after a rest. 1 to 1,000,000. Default: as many as may start in a second, at least 1. */
  burst?: number | null | undefined;
}

/** What is set of a type at run time. */
export interface TypeChangesInput {
  /**
   * How many of its tasks each node runs at once. Null: what its handler says, else the node. 1 to 10,000. Default: as
   * it is.
   */
  concurrency?: number | null | undefined;
  /**
   * How many of its tasks run at once in the whole cluster; never more. Beyond a lowered limit what runs goes on to its
   * end. Null: as many as there is room for. 1 to 1,000. Default: as it is.
   */
  maxRunning?: number | null | undefined;
  /** How often its tasks start in the whole cluster. Null: as often as they are due. Default: as it is. */
  rate?: RateInput | null | undefined;
  /**
   * How long its succeeded tasks are kept: `0`, or from 1 h to `historyRetentionDays`. `0`: not at all. Such a task is
   * not found after its end, neither by id nor by key; a replay of its idempotency key answers `TASK_NOT_FOUND`; runs
   * of schedules do not tell how they ended; and counts that are made anew from rows lack it. Members of batches are
   * kept all the same. Null: as long as all others. Milliseconds, or a text such as `"15m"`. Such as `7d`. Default: as
   * it is.
   */
  keepSucceeded?: DurationInput | null | undefined;
  /**
   * How long its cancelled tasks are kept: `0`, or from 1 h to `historyRetentionDays`. `0`: a cancel by id of a task
   * that waits deletes it, and it is not found afterwards; what is cancelled otherwise goes within minutes. Members of
   * batches are kept all the same, and what an operation has cancelled as long as it can be undone. Null: as long as
   * all others. Milliseconds, or a text such as `"15m"`. Such as `1d`. Default: as it is.
   */
  keepCancelled?: DurationInput | null | undefined;
  /**
   * How long its dead tasks are kept, and can be retried: from 1 h to `deadRetentionDays`. Members of batches are kept
   * all the same. Null: as long as all others. Milliseconds, or a text such as `"15m"`. Such as `30d`. Default: as it
   * is.
   */
  keepDead?: DurationInput | null | undefined;
}

/** An API key that is to be made. */
export interface ApiKeyInput {
  /** What it is called in its namespace. Such as `shop-backend`. No default. */
  name: string;
  /**
   * What it may do: an `operator` may what a `viewer` may, an `admin` what an `operator` may. A `worker` may claim
   * tasks of its `types`, and nothing else. No default.
   */
  role: "viewer" | "operator" | "admin" | "worker";
  /** Whether it may make cluster-wide calls; only who may gives that, and a `worker` has it never. Default: `false`. */
  cluster?: boolean | null | undefined;
  /**
   * What it gets besides its role. `payload`: it is shown payloads, results and checkpoints; without it their shape.
   * Administrators need none, and a `worker` has none. Such as `["payload"]`. Default: nothing.
   */
  rights?: readonly "payload"[] | null | undefined;
  /**
   * For a `worker`, which needs them, and for no other role: 1 to 100 types whose tasks it may claim. One that ends
   * with `*` stands for all that begin so. At most 100. Each: 1 to 128 characters of `A-Z a-z 0-9 . _ : -`. Such as
   * `["image.*","mail.send"]`. Default: none.
   */
  types?: readonly string[] | null | undefined;
  /**
   * When it ends, in the future and within 100 years. A Date, or ISO 8601 with offset. Default: it works until it is
   * revoked.
   */
  expiresAt?: Date | string | null | undefined;
}

/** What is changed of an API key. */
export interface ApiKeyChangesInput {
  /** What it is called from now on. Such as `shop-backend`. Default: as it is. */
  name?: string | null | undefined;
  /**
   * When it ends, in the future and within 100 years. Null: it works until it is revoked. A Date, or ISO 8601 with
   * offset. Default: as it is.
   */
  expiresAt?: Date | string | null | undefined;
  /**
   * For a `worker` alone: the types whose tasks it may claim. At most 100. Each: 1 to 128 characters of
   * `A-Z a-z 0-9 . _ : -`. Default: as they are.
   */
  types?: readonly string[] | null | undefined;
}

/** How an API key is rotated. */
export interface RotateApiKeyInput {
  /**
   * For so long the old key works beside the new one, 0 to 30 days. Milliseconds, or a text such as `"15m"`. Default:
   * `24h`.
   */
  overlap?: DurationInput | null | undefined;
  /** What the new one may do. Default: what the old one may. */
  role?: "viewer" | "operator" | "admin" | "worker" | null | undefined;
  /** Whether the new one may make cluster-wide calls. Default: as the old one. */
  cluster?: boolean | null | undefined;
  /** What the new one gets besides its role. Default: what the old one has. */
  rights?: readonly "payload"[] | null | undefined;
  /**
   * For a `worker`: the types whose tasks the new one may claim. At most 100. Each: 1 to 128 characters of
   * `A-Z a-z 0-9 . _ : -`. Default: those of the old one.
   */
  types?: readonly string[] | null | undefined;
  /**
   * When the new one ends, in the future and within 100 years. A Date, or ISO 8601 with offset. Default: it works until
   * it is revoked.
   */
  expiresAt?: Date | string | null | undefined;
}

/** How an API key is revoked. */
export interface RevokeApiKeyInput {
  /** Why, for the audit. 1 to 1,000 characters. Default: none is told. */
  reason?: string | null | undefined;
  /** Whether it may be the key that the call comes with. Default: `false`. */
  self?: boolean | null | undefined;
}

/** What is set of a namespace at run time. */
export interface NamespaceChangesInput {
  /**
   * How many of the tasks of all its types together run at once in the whole cluster; never more. Beyond a lowered
   * limit what runs goes on to its end. Null: as many as there is room for. 1 to 1,000. Default: as it is.
   */
  maxRunning?: number | null | undefined;
  /**
   * How often the tasks of all its types together start in the whole cluster. Null: as often as they are due. Default:
   * as it is.
   */
  rate?: RateInput | null | undefined;
}
