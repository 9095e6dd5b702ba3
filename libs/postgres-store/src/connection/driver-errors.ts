import { TickwheelError } from "@tickwheel/core";
import { cureOf } from "./error-cures.js";

/** SQLSTATEs that the stores look at. */
export const SQL_STATE = {
  uniqueViolation: "23505",
  checkViolation: "23514",
  lockNotAvailable: "55P03",
  deadlockDetected: "40P01",
  insufficientPrivilege: "42501",
  noActiveTransaction: "25P01",
  failedTransaction: "25P02",
  readOnly: "25006",
} as const;

/**
 * SQLSTATEs for a database that is away, shutting down, overloaded or waiting for another's lock. The same statement
 * may work later. Class 08: connection; 53: resources; 54: limits of the server (it takes no more transactions, before
 * their numbers run out); 57P: shutdown and the like; 57014: cancelled; 25006: read only, a demoted primary.
 */
const UNAVAILABLE = /^(08|53|54(?!001)|57P|57014|55P03|40P01|40001|25P03|25P02|25006|XX)/;
/**
 * SQLSTATEs that refuse the values that were sent. Class 22: data; 23: constraints; 54001: JSON that is nested too
 * deeply.
 */
const DATA_REFUSED = /^(22|23|54001)/;
/** SQLSTATEs that people must mend before any statement works. Class 28: user and password; 3D: the database's name. */
const MISCONFIGURED = /^(28|3D)/;
/** SQLSTATEs whose messages name tables, roles, settings and limits, and never a value. */
const WORDS_WITHOUT_VALUES = /^(08|25|26|28|3D|3F|40|42|53|54|55|57|58|XX)/;
/** The driver's own messages about a connection, and ours. None holds a value. */
const DRIVER_WORDS =
  /^(SASL|SCRAM|Connection (terminated|ended)|The server does not support SSL|There was an error establishing an SSL|timeout expired|timeout exceeded|no answer|Query read timeout|Client (was closed|has encountered a connection error)|Cannot use a pool after|[Rr]eceived (invalid|unexpected))/;
/** Node's codes for a program's faults. Those of connections, which begin alike, are none. */
const NODE_FAULT = /^ERR_(?!TLS|SSL|SOCKET|STREAM|OSSL)/;
/** What a program's faults say of themselves: names of its own, never a value. */
const FAULTS_WITHOUT_VALUES: ReadonlySet<unknown> = new Set(["TypeError", "RangeError", "ReferenceError"]);
/** A database's own states have five characters; Node's and the driver's codes do not. */
const SQL_STATE_PATTERN = /^[0-9A-Z]{5}$/;

/**
 * Translates what `pg` or TypeORM throws. Their messages and details may hold parameters. So only these are passed on:
 * the SQLSTATE, the names of constraint and table, Postgres' own words if they hold no value, and what cures the error.
 * An error that is neither an answer of the server nor a failure of the connection is a fault of the program: it is
 * told as such, with its cause, and whether the statement took effect is unknown.
 */
export function translateDriverError(error: unknown, doing: string): TickwheelError {
  if (error instanceof TickwheelError) return error;
  const sqlState = sqlStateOf(error);
  if (sqlState !== null) return answered(driverErrorOf(error), sqlState, doing);
  return isOfConnection(driverErrorOf(error)) ? unanswered(driverErrorOf(error), doing) : faulty(error, doing);
}

function isOfConnection({ code, message }: DriverError): boolean {
  if (typeof code === "string") return !NODE_FAULT.test(code);
  return typeof message === "string" && DRIVER_WORDS.test(message);
}

function faulty(error: unknown, doing: string): TickwheelError {
  const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown };
  const words =
    FAULTS_WITHOUT_VALUES.has(name) && typeof message === "string" ? `: ${message.slice(0, MAX_WORDS)}` : "";
  const kind = typeof name === "string" ? name.slice(0, MAX_WORDS) : typeof error;
  return new TickwheelError("INTERNAL", `A fault of the program, not of Postgres (${kind}${words}): ${doing}`, {
    cause: error,
    details: { statement: doing, outcomeUnknown: true },
  });
}

function unanswered({ code, message }: DriverError, doing: string): TickwheelError {
  const isNamed = typeof code === "string";
  const words = typeof message === "string" && (isNamed || DRIVER_WORDS.test(message)) ? message : "";
  const why = [isNamed ? code : "", words.slice(0, MAX_WORDS)].filter(Boolean).join(": ");
  return new TickwheelError("STORE_UNAVAILABLE", `Postgres did not answer${why && ` (${why})`}: ${doing}`, {
    details: { statement: doing, ...(isNamed ? { code } : {}) },
  });
}

function answered({ constraint, table, message }: DriverError, sqlState: string, doing: string): TickwheelError {
  const where = typeof constraint === "string" ? `, constraint ${constraint}` : "";
  const words = typeof message === "string" && WORDS_WITHOUT_VALUES.test(sqlState) ? message.slice(0, MAX_WORDS) : "";
  const why = [`${sqlState}${where}`, words].filter(Boolean).join(": ");
  const cure = cureOf(sqlState, words);
  const tail = `${doing}${cure && `. ${cure}`}`;
  const details = { sqlState, statement: doing, ...(where ? { constraint, table } : {}), ...(cure ? { cure } : {}) };
  if (UNAVAILABLE.test(sqlState)) {
    const readOnly = sqlState === SQL_STATE.readOnly;
    return new TickwheelError("STORE_UNAVAILABLE", `Postgres could not do it now (${why}): ${tail}`, {
      details: readOnly ? { ...details, readOnly } : details,
    });
  }
  if (MISCONFIGURED.test(sqlState)) {
    return new TickwheelError("CONFIGURATION_INVALID", `Postgres refuses the connection (${why}): ${tail}`, {
      details,
    });
  }
  const dataRefused = DATA_REFUSED.test(sqlState);
  return new TickwheelError("INTERNAL", `Postgres refused a statement (${why}): ${tail}`, {
    details: dataRefused ? { ...details, dataRefused } : details,
  });
}

/** The SQLSTATE of a raw or translated error; null: the error did not come from the server. */
export function sqlStateOf(error: unknown): string | null {
  if (error instanceof TickwheelError) {
    const { sqlState } = error.details;
    return typeof sqlState === "string" ? sqlState : null;
  }
  const { code } = driverErrorOf(error);
  return typeof code === "string" && SQL_STATE_PATTERN.test(code) && !NODE_CODES.has(code) ? code : null;
}

/** At most this many characters of Postgres' own words are passed on. */
const MAX_WORDS = 300;

/** Whether a statement failed because of another transaction's lock. */
export function isLockConflict(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === SQL_STATE.lockNotAvailable || state === SQL_STATE.deadlockDetected;
}

/** Node's error codes of five characters. */
const NODE_CODES = new Set(["EPIPE", "EBUSY", "EPERM", "ENOSR"]);

/** The fields that are read of an error of `pg`, or of the one that TypeORM wraps. */
interface DriverError {
  code?: unknown;
  constraint?: unknown;
  table?: unknown;
  message?: unknown;
}

function driverErrorOf(error: unknown): DriverError {
  const wrapped = error as { driverError?: unknown } | null;
  return (wrapped?.driverError ?? error ?? {}) as DriverError;
}
