import type { TelemetryEvent, TypePolicy } from "@tickwheel/core";
import { ignoredSchema } from "./announced-schemas.js";
import type { PayloadRules } from "./read-payload.js";

/** The longest JSON Schema that is announced, in bytes. */
const MAX_SCHEMA_BYTES = 16_384;

/**
 * What a node announces of the payloads of a type that it runs. A schema that is too long is told and not announced.
 *
 * @param emit tells it
 */
export function announcedOf(
  type: string,
  rules: PayloadRules | undefined,
  emit: (event: TelemetryEvent) => void,
): Pick<TypePolicy, "payloadSchema" | "payloadVersion"> {
  const text = rules?.schema.jsonSchema() ?? undefined;
  const isTooLong = text !== undefined && Buffer.byteLength(text) > MAX_SCHEMA_BYTES;
  if (isTooLong) emit(ignoredSchema(type, "TOO_LONG"));
  return { payloadSchema: isTooLong ? undefined : text, payloadVersion: rules?.version ?? undefined };
}
