import type { OperationAction } from "./operation.js";
import type { EpochMs } from "../task/task.js";

/** An operation on hold for so long, in milliseconds, is told: a day. */
export const HELD_AFTER_MS = 86_400_000;
/** A reading tells of so many operations at most, of each kind of trouble. */
export const MAX_TROUBLED_OPERATIONS = 50;

/**
 * `FAILING`: it stopped by itself, since too many of its tasks failed again; told while it can be undone. `HELD`: it
 * has been on hold for {@link HELD_AFTER_MS}.
 */
export type OperationTrouble = "FAILING" | "HELD";

/** An operation that needs somebody. */
export interface TroubledOperation {
  trouble: OperationTrouble;
  namespace: string;
  id: string;
  action: OperationAction;
  /** When it stopped, or since when it is on hold. */
  at: EpochMs;
  changed: number;
  /** How many it was to change; null: nobody knows. */
  estimate: number | null;
}
