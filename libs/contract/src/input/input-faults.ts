import { type Fault, faultMessage, shownText, TickwheelError } from "@tickwheel/core";
import { isAboutSize } from "./payload-input.js";

/** An error lists at most this many faults of a request; a bulk lists one of each further item, too. */
export const MAX_FAULTS = 50;

/**
 * Throws the error that these faults amount to, if there are any; it tells the first 50 of them, with their paths cut.
 */
export function throwFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw errorOfFaults(faults);
}

/**
 * The error that faults amount to: `PAYLOAD_TOO_LARGE` when the payload's size is the only one, else
 * `VALIDATION_FAILED`.
 */
export function errorOfFaults(faults: readonly Fault[], most = MAX_FAULTS): TickwheelError {
  const shown = faults.slice(0, most).map(({ path, message }) => ({ path: shownText(path), message }));
  const message = faultMessage(shown, faults.length);
  return new TickwheelError(faults.every(isAboutSize) ? "PAYLOAD_TOO_LARGE" : "VALIDATION_FAILED", message, {
    faults: shown,
  });
}
