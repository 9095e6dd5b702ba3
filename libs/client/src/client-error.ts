import type { Problem } from "./calls.generated.js";

/**
 * What went wrong, by the code of the API (`docs/errors.md`), or by one of the client's own.
 *
 * `NO_ANSWER`: the connection failed or broke, or the time was over; what was sent may have been done.
 * `UNKNOWN_ANSWER`: the answer is not Tickwheel's, such as a proxy's page. `DRAINED`: of the signal of a handler that
 * had not ended when `consume` did.
 */
export type ClientErrorCode = Problem["code"] | "NO_ANSWER" | "UNKNOWN_ANSWER" | "DRAINED";

/** What a {@link ClientError} tells. */
export interface ClientErrorFacts {
  readonly code: ClientErrorCode;
  readonly detail: string;
  readonly status?: number;
  readonly errors?: Problem["errors"];
  readonly retryAfterMs?: number | null;
  readonly existingId?: string | undefined;
  readonly cause?: unknown;
}

/**
 * A call that was not done as asked.
 *
 * @example
 *   try {
 *     await client.tasks.create({ type: "mail", key: "order-42" });
 *   } catch (error) {
 *     if (!(error instanceof ClientError && error.code === "TASK_KEY_CONFLICT")) throw error;
 *   }
 */
export class ClientError extends Error {
  override readonly name: string = "ClientError";
  readonly code: ClientErrorCode;
  /** The status of HTTP; 0: there was no answer. */
  readonly status: number;
  /** What is wrong, for people. */
  readonly detail: string;
  /** The faults of the input, each with its path. Empty: there are none. */
  readonly errors: Problem["errors"];
  /** When the server takes a further call, in milliseconds from the answer. Null: it does not say. */
  readonly retryAfterMs: number | null;
  /** For `BATCH_EXISTS` and `TASK_KEY_CONFLICT`: what is there already. */
  readonly existingId: string | undefined;

  constructor({ code, detail, status = 0, errors = [], retryAfterMs = null, existingId, cause }: ClientErrorFacts) {
    super(`${code}: ${detail}`, { cause });
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.errors = errors;
    this.retryAfterMs = retryAfterMs;
    this.existingId = existingId;
  }
}

/** The error that an answer tells. */
export function errorOf({ status, headers }: Response, text: string): ClientError {
  const problem = problemOf(text);
  const retryAfterMs = retryAfterOf(headers.get("retry-after"), headers.get("date"));
  if (problem) return new ClientError({ ...problem, status, retryAfterMs });
  const detail = `the answer ${status} is not one of Tickwheel: ${text.slice(0, 200)}`;
  return new ClientError({ code: "UNKNOWN_ANSWER", detail, status, retryAfterMs });
}

function problemOf(text: string): Problem | null {
  try {
    const told = JSON.parse(text) as Partial<Problem> | null;
    return typeof told?.code === "string" ? (told as Problem) : null;
  } catch {
    return null;
  }
}

/** Seconds, or an instant, which is read by the clock of the server that told it. */
function retryAfterOf(told: string | null, date: string | null): number | null {
  if (told === null) return null;
  if (/^\d+$/.test(told)) return Number(told) * 1_000;
  const waitMs = Date.parse(told) - Date.parse(date ?? "");
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : null;
}
