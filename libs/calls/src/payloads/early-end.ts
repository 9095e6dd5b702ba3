import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import type { Fault, Json } from "@tickwheel/core";
import { checkBySchema } from "../json-schema/check-by-schema.js";
import { compileSchema } from "../json-schema/compile-schema.js";
import { type Check, FITS, UNKNOWN } from "../json-schema/look.js";
import { MOST_FAULTS } from "./payload-faults.js";
import { bytesOfJson, isLarge } from "./payload-size.js";
import { LEAF, looseJsonSchema, type ZodLeaf } from "./zod-json-schema.js";

/** To ask zod costs as much as so many of ours. */
const STEPS_OF_LEAF = 5;

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
      const { schema, leaves } = looseJsonSchema(this.make);
      return compileSchema(JSON.parse(JSON.stringify(schema)) as Json, {
        [LEAF]: (at) => leafCheck(leaves[Number(at)]!),
      });
    } catch {
      return null;
    }
  }
}

/** A leaf that throws, as one that waits does, says nothing. */
function leafCheck(leaf: ZodLeaf): Check {
  return (value, look) => {
    if (!look.step(STEPS_OF_LEAF)) return UNKNOWN;
    try {
      return leaf.safeParse(value).success ? FITS : look.misfit("does not fit its schema");
    } catch {
      return UNKNOWN;
    }
  };
}
