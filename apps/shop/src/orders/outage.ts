import { TickwheelError } from "@tickwheel/nestjs";

/** SQLSTATEs of a server that goes down, comes up, has no connection left, or was asked to end this one. */
const UNAVAILABLE_STATES = /^(08|57P|53)/;
const UNREACHABLE = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENOTFOUND"]);
/** What pg says, without a code, about a connection that broke or was not had in time. */
const BROKEN_CONNECTION =
  /^(Connection terminated|timeout e(xpired|xceeded)|Client has encountered a connection error)/;

/** Whether a request failed because Postgres cannot be reached: nothing was accepted, and it may be tried again. */
export function isOutage(error: unknown): boolean {
  if (error instanceof TickwheelError) return error.code === "STORE_UNAVAILABLE";
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && (UNREACHABLE.has(code) || UNAVAILABLE_STATES.test(code))) return true;
  if (BROKEN_CONNECTION.test(error.message)) return true;
  return isOutage((error as { driverError?: unknown }).driverError);
}
