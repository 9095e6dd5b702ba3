/** What every call takes besides. */
export interface CallOptions {
  /** Ends the call and its retries; it throws the signal's reason then. A request that was sent may have been done. */
  readonly signal?: AbortSignal | undefined;
  /** How long one try may take, in milliseconds; then there is no answer. Default: as long as the platform waits. */
  readonly timeoutMs?: number | undefined;
  /** How often it is sent at most, where it may be sent again. Default: `retry.attempts` of the client. */
  readonly attempts?: number | undefined;
}

/** An option of calls that are done once for each idempotency key. */
export interface OnceOption {
  /**
   * The first of several calls with the same one is done, and the others get its answer. 1 to 256 characters. Default:
   * a UUID for each call, which its retries share.
   */
  readonly idempotencyKey?: string | undefined;
}

/** An option of calls that change what has a version. */
export interface IfMatchOption {
  /** The version that the thing must have; `VERSION_MISMATCH` otherwise. Default: any. */
  readonly ifMatch?: number | undefined;
}

/** An option of calls that may wait for the task's end. */
export interface WaitOption {
  /** How many seconds the call waits until the task has ended, at most 60. Default: it does not wait. */
  readonly waitSeconds?: number | undefined;
}
