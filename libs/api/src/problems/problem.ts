import { HttpException } from "@nestjs/common";
import {
  ERROR_CODES,
  type ErrorCode,
  errorText,
  type Fault,
  framesText,
  indentedLines,
  ownErrorText,
  TickwheelError,
} from "@tickwheel/core";

/** An error as RFC 9457 has it. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  errors: readonly Fault[];
  /** For a conflict: the id of the task or batch that is there already. */
  existingId?: string;
}

/** Seconds after which a client may try again where the store was away or there were too many requests. */
export const RETRY_AFTER_S = 1;

/**
 * Seconds after which a client may try again: those that the error names in `details.retryAfterS`, or the usual ones.
 */
export function retryAfterS(error: unknown): number {
  const named = error instanceof TickwheelError ? error.details["retryAfterS"] : undefined;
  return typeof named === "number" ? named : RETRY_AFTER_S;
}

/**
 * The problem that an error is at the edge. An error that is not about the request shows nothing of the inside: neither
 * a foreign error, nor a fault of ours or of a node's options.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof TickwheelError && ERROR_CODES[error.code] !== 500)
    return { ...problem(error.code, error.message, error.faults), ...conflictOf(error) };
  if (error instanceof HttpException) return problemOfStatus(error.getStatus(), error.message);
  const { statusCode, status = statusCode, message } = Object(error) as Record<string, unknown>;
  if (typeof status === "number" && status >= 400 && status < 500) return problemOfStatus(status, String(message));
  return problem("INTERNAL", "The request failed inside Tickwheel; the node's log says more.", []);
}

function conflictOf({ details: { existingId } }: TickwheelError): { existingId?: string } {
  return typeof existingId === "string" ? { existingId } : {};
}

/**
 * An error that is no fault of a request, for the node's log: where it comes from, and what caused it. Safe to be
 * printed, whatever was thrown.
 */
export function reportOf(error: unknown): string {
  if (!(error instanceof TickwheelError)) return indentedLines(errorText(error));
  const cause = framesText(error.cause);
  return indentedLines(ownErrorText(error) + (cause && `\n  caused by${cause}`));
}

/** The problem of an error that the web framework or the application raised. */
function problemOfStatus(status: number, message: string): Problem {
  const isAboutInput = status === 400 || status === 413;
  return { ...problem(codeOf(status), message, isAboutInput ? [{ path: "", message }] : []), status };
}

function problem(code: ErrorCode, detail: string, errors: readonly Fault[]): Problem {
  const title = code.charAt(0) + code.slice(1).toLowerCase().replaceAll("_", " ");
  return { type: `urn:tickwheel:error:${code}`, title, status: ERROR_CODES[code], detail, code, errors };
}

function codeOf(status: number): ErrorCode {
  const codes: Record<number, ErrorCode> = {
    401: "UNAUTHENTICATED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    413: "PAYLOAD_TOO_LARGE",
    429: "RATE_LIMITED",
    503: "STORE_UNAVAILABLE",
  };
  return codes[status] ?? (status < 500 ? "VALIDATION_FAILED" : "INTERNAL");
}
