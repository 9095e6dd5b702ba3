import { TickwheelError } from "@tickwheel/core";

/**
 * As long a part that cannot reach the store is not told of: within this time the membership notices, too, if Postgres
 * is away. Longer than the time-out of a statement.
 */
export const HELD_MS = 3_000;

/** How a failure is told: at level `warn`, at level `debug`, or not before it has lasted. */
export type Telling = "aloud" | "quietly" | "later";

export interface Told {
  part: string;
  error: unknown;
  /** Since it began, or since Postgres works again if that is later. */
  lastedMs: number;
  /** Whether `postgres` itself fails now. */
  isPostgresAway: boolean;
  /** Whether it was told quietly before. */
  wasQuiet: boolean;
}

/**
 * One cause is told once. While Postgres is away, that is what is told; the parts that fail because of it are quiet. A
 * loop may notice before the membership does, so its failure waits a moment. If Postgres works for the membership all
 * the same, the failure is the loop's own.
 */
export function tellingOf({ part, error, lastedMs, isPostgresAway, wasQuiet }: Told): Telling {
  const isOther = part !== "postgres" && (part === "heartbeat" || isStoreAway(error));
  if (!isOther) return "aloud";
  if (isPostgresAway) return "quietly";
  // Late beats are late already: they wait only for what Postgres has cost them.
  if (part === "heartbeat" && !wasQuiet) return "aloud";
  return lastedMs < HELD_MS ? "later" : "aloud";
}

function isStoreAway(error: unknown): boolean {
  return error instanceof TickwheelError && error.code === "STORE_UNAVAILABLE";
}
