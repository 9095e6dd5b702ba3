/** What an error code means, for people. */
export interface ErrorEntry {
  /** The HTTP status that it has at the edge. */
  status: number;
  /** When it is thrown, in one sentence or two; Markdown. */
  text: string;
  /** The cases that the text sums up, where there are several: each is a part of a sentence, in Markdown. */
  cases?: readonly string[];
  /** What to do about it, a sentence in Markdown. */
  cure: string;
}

/**
 * Every error code of Tickwheel. The tables of `docs/errors.md` and the answers of the OpenAPI document are made of it.
 * The codes from `TRANSACTION_UNAVAILABLE` on have no request of their own.
 */
export const ERRORS = {
  VALIDATION_FAILED: {
    status: 400,
    text: "The input breaks a rule.",
    cases: [
      "an unknown field or parameter, a malformed type, an impossible time, broken JSON",
      "a payload that does not fit its type's schema",
      "a new type beyond the namespace's 1,000 (`typeQuotaPerNamespace`)",
      "a GraphQL request that asks for more than 2 MiB of tasks",
      "in a handler: a bad name of a step, a 101st step, a checkpoint over 64 KiB, a bad progress",
      "in a handler: a page of `ctx.walk` that answers no new place, a second walk, a walk beside a checkpoint of one's own",
    ],
    cure: "Correct every fault in `errors`; the same request would fail again.",
  },
  UNAUTHENTICATED: {
    status: 401,
    text: "The request has no API key, or an unknown, revoked or expired one; or the session of its cookie is over; or the application's own log-in knows nobody.",
    cure: "Send `Authorization: Bearer <key>`, or log in again.",
  },
  FORBIDDEN: {
    status: 403,
    text: "The key's role is not enough for this call; or the key lacks the right `cluster`; or it is a worker's, which may claim tasks of its types and nothing else.",
    cure: "Use a key with the role that `detail` names.",
  },
  CSRF_TOKEN_INVALID: {
    status: 403,
    text: "The call comes with the session's cookie and is no GET or HEAD, but its header `X-CSRF-Token` does not hold the token of the session; or it comes in the application's own log-in, and has no such header or is from another site.",
    cure: "Send the `csrfToken` that `POST /v1/session` answered, or `GET /v1/session` shows.",
  },
  TASK_NOT_FOUND: {
    status: 404,
    text: "The namespace of the key has no such task. Finished tasks are deleted after their retention.",
    cure: "Check the id, and that the key belongs to the task's namespace.",
  },
  SCHEDULE_NOT_FOUND: {
    status: 404,
    text: "The namespace of the key has no schedule of this name.",
    cure: "Check the name, and that the key belongs to the schedule's namespace.",
  },
  BATCH_NOT_FOUND: {
    status: 404,
    text: "The namespace of the key has no such batch. Batches are deleted after the retention of their members.",
    cure: "Check the id, and that the key belongs to the batch's namespace.",
  },
  OPERATION_NOT_FOUND: {
    status: 404,
    text: "The namespace of the key has no such operation. Operations are deleted 400 days after their end.",
    cure: "Check the id, and that the key belongs to the operation's namespace.",
  },
  DEAD_LETTERS_NOT_FOUND: {
    status: 404,
    text: "No task of this type in the namespace of the key is dead for this cause, or the type has too many causes and this one has no group of its own.",
    cure: "Check type and fingerprint; `GET /v1/dead-letters` lists them. The last of them may have been retried or discarded meanwhile.",
  },
  TYPE_NOT_FOUND: {
    status: 404,
    text: "The namespace of the key has no such type: no node announces it, and it has had neither tasks nor schedules for `typeRetentionDays`.",
    cure: "Look at the name of the type; `GET /v1/types` lists those that there are.",
  },
  CLAIM_NOT_FOUND: {
    status: 404,
    text: "The token names no claim of the key's namespace: it is made up, cut, of another namespace, or its secret was retired.",
    cure: "Send the token as the claim answered it, with a key of the same namespace.",
  },
  KEY_NOT_FOUND: {
    status: 404,
    text: "The namespace has no such API key; or the key is to be changed, and is revoked or has ended.",
    cure: "Check the id; `GET /v1/api-keys` lists the keys with their states. Make a new key in place of one that is over.",
  },
  SESSION_NOT_FOUND: {
    status: 404,
    text: "The namespace of the key has no such live session of the page: it is over, or was ended.",
    cure: "Check the id; `GET /v1/sessions` lists the live ones.",
  },
  NOT_FOUND: {
    status: 404,
    text: "There is nothing at this address.",
    cure: "Check method and path.",
  },
  TASK_STATE_CONFLICT: {
    status: 409,
    text: "The state of the task or schedule does not allow this.",
    cases: [
      "the task runs already, or has ended",
      "an occurrence of the schedule runs, or is about to",
      "as many occurrences of the schedule live as may (`liveOccurrencesPerSchedule`)",
      "another backfill of the schedule goes on",
    ],
    cure: "Read the task or schedule, and decide anew.",
  },
  TASK_KEY_CONFLICT: {
    status: 409,
    text: "A live task of this type has the key, and the policy is `reject`; or the task to be retried has the key of a live one.",
    cure: "Use the live task, or schedule with `onConflict` `return`, `refresh`, `merge` or `replace`.",
  },
  MERGE_CONFLICT: {
    status: 409,
    text: "The payload that the key's task has cannot take this merge. `errors` names the field, or both versions.",
    cases: [
      "a field is of another kind",
      "a sum has more than 100 digits",
      "a field of the merge itself is not of the kind that its reducer needs",
      "the two payloads have different versions",
    ],
    cure: "Correct the field or its reducer; or let the task run, or cancel it, and merge into the next one.",
  },
  TYPE_DELIVERY_CONFLICT: {
    status: 409,
    text: "The type's first task fixed its delivery: a handler, a webhook, a broker or consumers. This task asks for another one, or a consumer polls a type that consumers do not fetch.",
    cure: "Leave `deliver` out or put it in, as the first task did; or use another type.",
  },
  CANCEL_REQUESTED: {
    status: 409,
    text: "A consumer extends its lease, but somebody has asked to cancel the task. The lease stays as it was.",
    cure: "Stop, then release the claim: the task ends `cancelled`. Or complete it if its effect has happened.",
  },
  LEASE_LOST: {
    status: 409,
    text: "The execution is no longer the task's current one. A consumer's complete, fail, extend or release changes nothing then. A handler's transaction, step (`ctx.once`), page (`ctx.walk`), checkpoint, spawned tasks and `ctx.snooze` are not kept; only a shutdown still keeps a checkpoint.",
    cases: [
      "its lease has ended, or the claim was completed otherwise (consumers)",
      "it was taken over or timed out",
      "its node has heard that it was cancelled",
      "its node shuts down",
    ],
    cure: "Stop; what is done now does not count.",
  },
  SCHEDULE_EXISTS: {
    status: 409,
    text: "The namespace has a schedule of this name.",
    cure: "Change it with PUT, or use another name.",
  },
  SCHEDULE_IN_CODE: {
    status: 409,
    text: "An application's code defines the schedule, and would make it again.",
    cure: "Remove it from the code, or pause it.",
  },
  BATCH_EXISTS: {
    status: 409,
    text: "The namespace keeps a batch of this name; `details.existingId` has its id.",
    cure: "Use that batch, for making it twice is safe this way; or use another name.",
  },
  BATCH_SEALED: {
    status: 409,
    text: "The batch is sealed, complete or cancelled: it takes no members any more.",
    cure: "Make another batch; a member adds to its own batch by `ctx.spawn`.",
  },
  BATCH_STATE_CONFLICT: {
    status: 409,
    text: "The batch is complete or cancelled: it can be neither sealed nor cancelled.",
    cure: "Read the batch, and decide anew.",
  },
  OPERATION_STATE_CONFLICT: {
    status: 409,
    text: "The operation is over, or being undone, or what it changed is forgotten: this cannot be done to it any more.",
    cure: "Read the operation, and decide anew.",
  },
  OPERATION_COUNT_CHANGED: {
    status: 409,
    text: "More than a tenth more or fewer tasks fit by now than the dry run had counted; `details.count` has their number. Nothing was done.",
    cure: "Try it dry again, and start it with the new count.",
  },
  KEY_EXISTS: {
    status: 409,
    text: "An API key of the namespace that is not revoked has this name; or the key that is to be rotated has been replaced already.",
    cure: "Use another name, or rename or revoke that key; rotate the newer key.",
  },
  LAST_ADMIN_KEY: {
    status: 409,
    text: "No administrator's key without an end would be left in the namespace.",
    cure: "Make another administrator's key first.",
  },
  OWN_KEY: {
    status: 409,
    text: "The key that is to be revoked is the one that the call comes with, or that of its session.",
    cure: "If you mean it, say `self: true`.",
  },
  VERSION_MISMATCH: {
    status: 412,
    text: "The task or schedule has changed since the version in `If-Match`, or while a backfill of it was asked for.",
    cure: "Read it again, and repeat the call with its version.",
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    text: "A payload is over 64 KiB, or would be when it is merged into that of the key's task; or a body is over 1 MiB (16 MiB for a bulk call).",
    cure: "Store the data elsewhere and schedule a reference to it; split a bulk call; let the task run before more is merged.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    text: "The idempotency key was used with another body in the last 24 hours.",
    cure: "Use a new key for a new request.",
  },
  RATE_LIMITED: {
    status: 429,
    text: "The node, the namespace, the key or the address has reached a limit.",
    cases: [
      "this node has more requests in progress than it answers in a second, or one key has more than three quarters of that",
      "this node holds as many long bodies as it can",
      "10,000 calls of this node wait for tasks to end",
      "too many keys that this node does not know are tried",
      "an address has failed to log in ten times within a minute",
      "a namespace or a key has as many reads under way as it may",
      "a session, a key, a namespace or the node has as many streams as it may",
      "the namespace has roughly as many scheduled tasks as `pendingTaskQuotaPerNamespace` allows",
      "a guard of the application limits the rate",
    ],
    cure: "Wait for as long as `Retry-After` says.",
  },
  STORE_UNAVAILABLE: {
    status: 503,
    text: "Postgres or the application's own log-in (`authenticate`) does not answer, this node is draining, or a call of many keyed tasks has taken longer than 10 s. Nothing was half accepted.",
    cure: "Try again after `Retry-After`, with the same idempotency key or task key, since a reply may have been lost.",
  },
  TRANSACTION_UNAVAILABLE: {
    status: 500,
    text: "There is no transaction to work in.",
    cases: [
      "a `manager` has no open transaction, or its transaction is over or has failed before",
      "a `manager` is no transaction of the module's library",
      "a handler has ended the transaction of `ctx.transaction`, `ctx.once` or `ctx.walk` by hand",
      "`manager`, `ctx.transaction`, `ctx.once` or `ctx.walk` is used although the module has neither `dataSource` nor `transactions`",
    ],
    cure: "Begin a transaction and pass its manager or `tx`; give `DelayTaskModule` the application's own `dataSource` or `transactions`.",
  },
  TRANSACTION_ALREADY_COMMITTED: {
    status: 500,
    text: "A handler calls `ctx.transaction`, `ctx.once`, `ctx.walk`, `ctx.checkpoint` or `ctx.snooze` after `ctx.transaction` has committed the task's completion.",
    cure: "Do everything that belongs together in one `ctx.transaction`.",
  },
  TRANSACTION_UNDER_WAY: {
    status: 500,
    text: "A handler makes two calls of its context at once, and one of them is `ctx.transaction`. The call has done nothing, the attempt fails, and the transaction is rolled back.",
    cases: [
      "`ctx.transaction` is called while another call of the context is under way",
      "another call of the context, `ctx.spawn` aside, is made while `ctx.transaction` is under way",
      "the two may be side by side, one within the other, or not awaited",
    ],
    cure: "Await one call before the next, with `ctx.transaction` last; do what belongs together in one `ctx.transaction`.",
  },
  RESULT_INVALID: {
    status: 500,
    text: "The result of `ctx.transaction` or of a step (`ctx.once`) is longer than `resultLimitBytes` (1 MiB) or deeper than 1,000 levels. The transaction is rolled back.",
    cure: "Return less: store the data yourself and return a reference.",
  },
  UNSUPPORTED: {
    status: 500,
    text: "The store in memory, which is for tests, has no batches, operations, dead letters, sessions and managed API keys.",
    cure: "Open the stores of the test on a real Postgres, as the message says.",
  },
  CONFIGURATION_INVALID: {
    status: 500,
    text: "The node is set up wrongly and does not start.",
    cases: [
      "options or variables are wrong",
      "Postgres refuses the user, the password or the name of the database",
      "a handler cannot be used",
      "a bundle lacks a program",
    ],
    cure: "Correct every fault that the message lists.",
  },
  STORE_INCOMPATIBLE: {
    status: 500,
    text: "This node does not fit its database. It does not start, and nothing is changed.",
    cases: [
      "Postgres has a wrong version",
      "the schema is newer than this node",
      "an unreleased version made the schema",
    ],
    cure: "Use a supported Postgres; upgrade the node before the schema's newer nodes need it; drop the schema, or delete `.tickwheel/`.",
  },
  INTERNAL: {
    status: 500,
    text: "A fault of Tickwheel itself, or a right that its role lacks in Postgres. The answer shows no internal details; the log has them with their cause.",
    cure: "Look into the node's log, and report the fault.",
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** The HTTP status of each code. */
export const ERROR_CODES = Object.fromEntries(
  Object.entries(ERRORS).map(([code, { status }]) => [code, status]),
) as unknown as { readonly [Code in ErrorCode]: (typeof ERRORS)[Code]["status"] };
