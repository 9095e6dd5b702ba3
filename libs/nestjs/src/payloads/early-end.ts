import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import type { Fault, Json } from "@tickwheel/core";
import { checkBySchema } from "../json-schema/check-by-schema.js";
import { compileSchema } from "../json-schema/compile-schema.js";
import type { Check } from "../json-schema/look.js";
import { MOST_FAULTS } from "./payload-faults.js";
import { bytesOfJson, isLarge } from "./payload-size.js";
import { looseJsonSchema } from "./zod-json-schema.js";

/**
 * Ends the check of a large payload before it begins. zod makes every fault of a payload before it answers, and of each
 * branch of a union: of a list of 64 KB that has taken seconds and gigabytes. So a payload of many values is looked at
 * by the JSON Schema first, which ends at the number of faults that is told. With fewer faults zod itself decides.
 */
export class EarlyEnd {
  /** Null: zod makes no JSON Schema. Undefined: no payload was large yet. */
  private check: Check | null | undefined;

  constructor(private readonly make: StandardJSONSchemaV1.Converter["input"]) {}

  /** As many faults as are told, or none. */
  faultsOf(value: unknown): readonly Fault[] {
    if (!isLarge(value)) return [];
    const bytes = bytesOfJson(value);
    if (this.check === undefined) this.check = this.compiled();
    if (bytes === null || this.check === null) return [];
    const { faults } = checkBySchema(this.check, { value: value as Json, bytes }, MOST_FAULTS);
    return faults.length < MOST_FAULTS ? [] : faults;
  }

  private compiled(): Check | null {
    try {
      return compileSchema(JSON.parse(JSON.stringify(looseJsonSchema(this.make))) as Json);
    } catch {
      return null;
    }
  }
}
