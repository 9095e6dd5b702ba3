import type { Fault, Json } from "@tickwheel/core";
import { type Check, Look } from "./look.js";

/** How many steps a look may take: about this many at the smallest value, and so many more for each byte of it. */
const LEAST_STEPS = 5_000;
const STEPS_PER_BYTE = 10;
/** What a look has found. */
export interface SchemaFinding {
  /** As many as were wanted, at most. */
  faults: readonly Fault[];
  /** Whether a part was left out, since there was too much to do. */
  isCut: boolean;
}

/** A value, and about how many bytes its text has. */
export interface SizedValue {
  value: Json;
  bytes: number;
}

/** Looks at a value until it has so many faults. How long it takes depends on the value's size, not on the schema. */
export function checkBySchema(check: Check, { value, bytes }: SizedValue, mostFaults: number): SchemaFinding {
  const look = new Look(LEAST_STEPS + STEPS_PER_BYTE * bytes, mostFaults);
  check(value, look);
  return { faults: look.faults, isCut: look.isCut };
}
