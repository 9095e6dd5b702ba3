import { brand } from "./brand.js";
import type { ErrorCode } from "./error-codes.js";

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

brand(TickwheelError, "TickwheelError");

/** Thrown by a handler: the task ends `dead`, reason `NON_RETRYABLE`, whatever attempts are left. */
export class NonRetryableError extends Error {
  override readonly name = "NonRetryableError";
}
brand(NonRetryableError, "NonRetryableError");

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
brand(RetryAtError, "RetryAtError");

/** What a handler is told that has ended the transaction of a call of its context by a COMMIT or ROLLBACK. */
export function endedByHand(): TickwheelError {
  return new TickwheelError(
    "TRANSACTION_UNAVAILABLE",
    "The handler has ended its transaction by hand (COMMIT or ROLLBACK), so nothing is stored with it: leave its end to ctx.transaction, ctx.once and ctx.walk, and throw to roll it back",
  );
}
