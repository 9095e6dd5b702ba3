export type LocalServiceErrorCode =
  | "LOCK_TIMEOUT"
  | "FOLDER_UNUSABLE"
  | "NOT_RUNNABLE"
  | "PORT_IN_USE"
  | "POSTGRES_IN_USE"
  | "POSTGRES_START_FAILED"
  | "POSTGRES_UNAVAILABLE"
  | "POSTGRES_WRONG_VERSION"
  | "REDIS_START_FAILED"
  | "REDIS_UNAVAILABLE"
  | "SERVICE_STOPPED"
  | "TOOL_UNAVAILABLE";

/**
 * A local service cannot do what was asked. The message says what to do about it; `details` holds logs and command
 * output.
 */
export class LocalServiceError extends Error {
  override readonly name: string = "LocalServiceError";

  constructor(
    readonly code: LocalServiceErrorCode,
    message: string,
    options: { cause?: unknown; details?: string } = {},
  ) {
    super(message, { cause: options.cause });
    this.details = options.details;
  }

  readonly details: string | undefined;
}

/** No Redis server is installed and none could be unpacked. The message names the command that installs one. */
export class RedisUnavailableError extends LocalServiceError {
  override readonly name = "RedisUnavailableError";

  constructor(cause: unknown) {
    super(
      "REDIS_UNAVAILABLE",
      "No Redis: neither redis-server nor valkey-server is on the PATH, and Debian's package could not be unpacked. " +
        "Install one (`sudo apt-get install redis-server`) or set REDIS_URL.",
      { cause },
    );
  }
}
