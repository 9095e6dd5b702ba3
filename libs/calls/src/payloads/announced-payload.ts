import type { TelemetryEvent, TypePolicy } from "@tickwheel/core";
import { ignoredSchema } from "./ignored-schema.js";
import type { PayloadRules } from "./read-payload.js";
import { isTooLong } from "./schema-bytes.js";

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
  const isLong = text !== undefined && isTooLong(text);
  if (isLong) emit(ignoredSchema(type, "TOO_LONG"));
  return { payloadSchema: isLong ? undefined : text, payloadVersion: rules?.version ?? undefined };
}
