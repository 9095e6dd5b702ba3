import type { TelemetryEvent } from "@tickwheel/core";

/** Why payloads are not checked by a schema, or one of them not to its end. */
export type IgnoredSchema = "UNCOMPILABLE" | "TOO_LONG" | "TOO_COSTLY";

const UNCHECKED = "nodes without its definition do not check its payloads";
const REASONS: Readonly<Record<IgnoredSchema, string>> = {
  TOO_LONG: `is longer than 16 KiB, and is not announced or not read: ${UNCHECKED}`,
  UNCOMPILABLE: `cannot be compiled: ${UNCHECKED}`,
  TOO_COSTLY:
    "asks for too many steps: a payload was taken that was not checked to its end; the handler's node checks it",
};

/** That a type's payloads are not checked by its JSON Schema, or not to their end. */
export function ignoredSchema(type: string, why: IgnoredSchema): TelemetryEvent {
  return {
    name: "payload.schema.ignored",
    level: "warn",
    message: `The JSON Schema of "${type}" ${REASONS[why]}`,
    facts: { type, why },
  };
}
