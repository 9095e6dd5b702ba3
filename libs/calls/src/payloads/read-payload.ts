import { type Fault, type Json, shownText } from "@tickwheel/core";
import type { PayloadReading } from "@tickwheel/executors";
import { MAX_FAULTS } from "@tickwheel/contract";
import type { PayloadSchema } from "./payload-schema.js";
import { isOfNewer, isToLift, NO_VERSION } from "./payload-version.js";

/** What a definition knows of its payloads. */
export interface PayloadRules {
  readonly schema: PayloadSchema;
  /** Null: it has none. */
  readonly version: number | null;
  /** Makes a payload of an older version one of this. Absent: the schema takes it as it is. */
  readonly upgrade?: (payload: never, fromVersion: number) => unknown;
}

/**
 * What a handler gets of a stored payload: lifted where it is older, and what the schema makes of it.
 *
 * @throws what `upgrade` throws: that is a failed attempt
 */
export async function readPayload(
  { schema, version: known, upgrade }: PayloadRules,
  payload: Json,
  stored: number | null,
): Promise<PayloadReading> {
  const lifts = upgrade !== undefined && isToLift({ stored, known });
  const lifted = lifts ? await upgrade(payload as never, stored ?? NO_VERSION) : payload;
  const checked = schema.check(lifted);
  if ("value" in checked) return { payload: checked.value };
  const isNewer = isOfNewer({ stored, known });
  const versions = isNewer ? `payload version ${stored}, this handler knows ${known ?? "none"}: ` : "";
  return { misfit: `The payload does not fit: ${versions}${textOf(checked.faults)}`, retryable: isNewer };
}

function textOf(faults: readonly Fault[]): string {
  const told = faults.slice(0, MAX_FAULTS).map(({ path, message }) => `${shownText(path)} ${message}`);
  return [...told, ...(faults.length > MAX_FAULTS ? ["and more"] : [])].join("; ");
}
