import { TickwheelError } from "@tickwheel/core";
import { LocalServiceError } from "@tickwheel/local-services";

/** A start that cannot go on; its message says what to do. */
export class StartFailure extends Error {
  override readonly name = "StartFailure";
}

const REACH_POSTGRES = "Start Postgres, or point DATABASE_URL to one that can be reached.";
const MEND_DATABASE_URL = "Mend the user, password and database name in DATABASE_URL.";
const GRANT_RIGHTS =
  "Let the user of DATABASE_URL create the schema tickwheel, or create it and make that user its owner.";

/** What to do about an answer of Postgres, by SQLSTATE or its class. */
const ADVICE_OF_SQL_STATE: readonly [RegExp, string][] = [
  [/^28/, `Postgres refuses the user or the password. ${MEND_DATABASE_URL}`],
  [/^3D/, `Postgres has no such database. ${MEND_DATABASE_URL}`],
  [/^42501$/, `Postgres denies the user a right. ${GRANT_RIGHTS}`],
];

/** The one message about a failed start, with what to do; null where the error is a bug whose stack is wanted. */
export function explainFailure(error: unknown): string | null {
  if (error instanceof StartFailure || error instanceof LocalServiceError) return error.message;
  if (!(error instanceof TickwheelError)) return null;
  const advice = adviceOn(error);
  if (advice === null && error.code === "INTERNAL") return null;
  return [error.message, causeOf(error), advice].filter(Boolean).join("\n");
}

/** The failure of listening on a port that another process holds. */
export function portInUse(port: number): StartFailure {
  return new StartFailure(`Port ${port} is in use. Stop what listens there, or set PORT to another port.`);
}

function adviceOn({ code, details }: TickwheelError): string | null {
  const sqlState = typeof details["sqlState"] === "string" ? details["sqlState"] : "";
  const found = ADVICE_OF_SQL_STATE.find(([pattern]) => pattern.test(sqlState));
  if (found) return found[1];
  if (code === "STORE_UNAVAILABLE") return REACH_POSTGRES;
  // About the schema: the message itself says what to do.
  return code === "STORE_INCOMPATIBLE" && details["schema"] === undefined
    ? "Point DATABASE_URL to a Postgres of a version that Tickwheel supports."
    : null;
}

function causeOf({ cause, message }: TickwheelError): string {
  if (cause instanceof AggregateError) return cause.errors.map(String).join("; ");
  return cause instanceof Error && !message.includes(cause.message) ? cause.message : "";
}
