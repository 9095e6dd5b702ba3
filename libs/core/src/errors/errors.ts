/**
 * Every error code of Tickwheel, with the HTTP status it has at the edge. `docs/errors.md` explains each; a test holds
 * the two together.
 */
export const ERROR_CODES = {
  VALIDATION_FAILED: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  CSRF_TOKEN_INVALID: 403,
  TASK_NOT_FOUND: 404,
  SCHEDULE_NOT_FOUND: 404,
  BATCH_NOT_FOUND: 404,
  TYPE_NOT_FOUND: 404,
  NOT_FOUND: 404,
  TASK_STATE_CONFLICT: 409,
  TASK_KEY_CONFLICT: 409,
  MERGE_CONFLICT: 409,
  TYPE_DELIVERY_CONFLICT: 409,
  SCHEDULE_EXISTS: 409,
  SCHEDULE_IN_CODE: 409,
  BATCH_EXISTS: 409,
  BATCH_SEALED: 409,
  BATCH_STATE_CONFLICT: 409,
  VERSION_MISMATCH: 412,
  PAYLOAD_TOO_LARGE: 413,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  STORE_UNAVAILABLE: 503,
  LEASE_LOST: 409,
  TRANSACTION_UNAVAILABLE: 500,
  TRANSACTION_ALREADY_COMMITTED: 500,
  TRANSACTION_UNDER_WAY: 500,
  RESULT_INVALID: 500,
  UNSUPPORTED: 500,
  CONFIGURATION_INVALID: 500,
  STORE_INCOMPATIBLE: 500,
  INTERNAL: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * One fault of an input: where it is (a path such as `tasks[3].delay`, or `""` for the whole) and what is wrong with
 * it.
 */
export interface Fault {
  path: string;
  message: string;
}

/**
 * The one error class of Tickwheel. `code` is stable and is what programs should look at; `message` is for people.
 *
 * @example throw new TickwheelError("VALIDATION_FAILED", "2 faults", { faults: [{ path: "delay", message: "must not be negative" }] })
 */
export class TickwheelError extends Error {
  readonly code: ErrorCode;
  /** Every fault of the input, where the code is about input. */
  readonly faults: readonly Fault[];
  /** Facts for programs; never payloads or secrets. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    extra: { cause?: unknown; faults?: readonly Fault[]; details?: Record<string, unknown> } = {},
  ) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = "TickwheelError";
    this.code = code;
    this.faults = extra.faults ?? [];
    this.details = extra.details ?? {};
  }
}

/** Thrown by a handler: the task ends `dead`, reason `NON_RETRYABLE`, whatever attempts are left. */
export class NonRetryableError extends Error {
  override readonly name = "NonRetryableError";
}

/** Thrown by a handler: the next attempt is due at this instant (if attempts are left) instead of after the backoff. */
export class RetryAtError extends Error {
  override readonly name = "RetryAtError";
  constructor(
    /** When to try again; an instant in the past means at once. */
    readonly retryAt: Date,
    message = `retry at ${retryAt.toISOString()}`,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What a handler is told that has ended the transaction of a call of its context by a COMMIT or ROLLBACK. */
export function endedByHand(): TickwheelError {
  return new TickwheelError(
    "TRANSACTION_UNAVAILABLE",
    "The handler has ended its transaction by hand (COMMIT or ROLLBACK), so nothing is stored with it: leave its end to ctx.transaction, ctx.once and ctx.walk, and throw to roll it back",
  );
}
