import { TickwheelError } from "@tickwheel/core";

/** SQLSTATEs that the stores look at. */
export const SQL_STATE = {
  uniqueViolation: "23505",
  checkViolation: "23514",
  lockNotAvailable: "55P03",
  deadlockDetected: "40P01",
} as const;

/**
 * States in which the database is away, going away, overloaded or busy with somebody's lock; the same statement may work later.
 * Class 08: connection; 53: resources; 57P: shutdown and the like; 57014: cancelled; 25006: read only, a demoted primary.
 */
const UNAVAILABLE = /^(08|53|57P|57014|55P03|40P01|40001|25P03|25P02|25006|XX)/;
/** States that say something of the values that were sent. Class 22: data; 23: constraints; 54: limits. */
const DATA_REFUSED = /^(22|23|54)/;
/** A database's own states have five characters; Node's and the driver's codes do not. */
const SQL_STATE_PATTERN = /^[0-9A-Z]{5}$/;

/**
 * Translates what `pg` or TypeORM throws. Their messages and details may hold parameters, so none of them is passed on: only the
 * SQLSTATE and the names of constraint and table.
 */
export function translateDriverError(error: unknown, doing: string): TickwheelError {
  if (error instanceof TickwheelError) return error;
  const driver = driverErrorOf(error);
  const sqlState = sqlStateOf(error);
  if (sqlState === null) {
    const code = typeof driver.code === "string" ? ` (${driver.code})` : "";
    return new TickwheelError("STORE_UNAVAILABLE", `Postgres did not answer${code}: ${doing}`, {
      details: { statement: doing, ...(typeof driver.code === "string" ? { code: driver.code } : {}) },
    });
  }
  const { constraint, table } = driver;
  const where = typeof constraint === "string" ? `, constraint ${constraint}` : "";
  const details = { sqlState, statement: doing, ...(where ? { constraint, table } : {}) };
  if (UNAVAILABLE.test(sqlState)) {
    return new TickwheelError("STORE_UNAVAILABLE", `Postgres could not do it now (${sqlState}): ${doing}`, { details });
  }
  const message = `Postgres refused a statement (${sqlState}${where}): ${doing}`;
  const dataRefused = DATA_REFUSED.test(sqlState);
  return new TickwheelError("INTERNAL", message, { details: dataRefused ? { ...details, dataRefused } : details });
}

/** The SQLSTATE of a raw or translated error; null: it did not come from the server. */
export function sqlStateOf(error: unknown): string | null {
  if (error instanceof TickwheelError) {
    const { sqlState } = error.details;
    return typeof sqlState === "string" ? sqlState : null;
  }
  const { code } = driverErrorOf(error);
  return typeof code === "string" && SQL_STATE_PATTERN.test(code) && !NODE_CODES.has(code) ? code : null;
}

/** Whether another transaction's lock was in the way. */
export function isLockConflict(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === SQL_STATE.lockNotAvailable || state === SQL_STATE.deadlockDetected;
}

/** Node's error codes of five characters. */
const NODE_CODES = new Set(["EPIPE", "EBUSY", "EPERM", "ENOSR"]);

function driverErrorOf(error: unknown): { code?: unknown; constraint?: unknown; table?: unknown } {
  const wrapped = error as { driverError?: unknown } | null;
  return (wrapped?.driverError ?? error ?? {}) as { code?: unknown };
}
