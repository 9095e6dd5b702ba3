import { expect, test } from "@jest/globals";
import type { Json } from "@tickwheel/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { compileSchema } from "./compile-schema.js";
import { FITS, Look, MISFIT } from "./look.js";

const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, validateSchema: false });
const name = fc.constantFrom("a", "b");
const small = fc.integer({ min: 0, max: 3 });

const { value, schema } = fc.letrec<{ value: Json; schema: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 0, 1, 2.5, "", "a", "aaa"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { noNullPrototype: true }),
  ),
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>(true, false, {}, { $ref: "#/$defs/a" }, { type: "string" }, { type: ["number", "null"] }),
    fc.record(
      {
        type: fc.constantFrom("object", "array", "integer"),
        pattern: fc.constant("^a+$"),
        uniqueItems: fc.boolean(),
        enum: fc.array(tie("value"), { minLength: 1, maxLength: 2 }),
        const: tie("value"),
        minimum: small,
        exclusiveMaximum: small,
        multipleOf: fc.constantFrom(1, 2),
        minLength: small,
        maxLength: small,
        minItems: small,
        maxItems: small,
        items: tie("schema"),
        contains: tie("schema"),
        minContains: small,
        maxContains: small,
        prefixItems: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }),
        minProperties: small,
        maxProperties: small,
        required: fc.uniqueArray(name),
        properties: fc.dictionary(name, tie("schema")),
        additionalProperties: tie("schema"),
        patternProperties: fc.dictionary(fc.constant("^b"), tie("schema")),
        propertyNames: tie("schema"),
        dependentRequired: fc.dictionary(name, fc.uniqueArray(name)),
        dependentSchemas: fc.dictionary(name, tie("schema")),
        unevaluatedProperties: tie("schema"),
        not: tie("schema"),
        if: tie("schema"),
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: tie("schema"),
        else: tie("schema"),
        allOf: branches(tie("schema")),
        anyOf: branches(tie("schema")),
        oneOf: branches(tie("schema")),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Json>,
  ),
}));

function branches(of: fc.Arbitrary<Json>): fc.Arbitrary<Json[]> {
  return fc.array(of, { minLength: 1, maxLength: 2 });
}

test("ajv gives the same verdict as a compiled schema wherever the schema's look is sure", () => {
  // A definition that names itself for the same value never ends in ajv.
  const definition = schema.filter((made) => !JSON.stringify(made).includes("$ref"));
  fc.assert(
    fc.property(schema, definition, fc.array(value, { minLength: 20, maxLength: 30 }), (root, a, values) => {
      const whole = { allOf: [root], $defs: { a } };
      const check = compileSchema(whole);
      const fits = ajv.compile(whole);
      ajv.removeSchema();
      for (const given of values) {
        const look = new Look(100_000, 51);
        const verdict = check(given, look);
        if (verdict === MISFIT) expect(fits(given)).toBe(false);
        if (verdict === FITS) expect(fits(given)).toBe(true);
        expect(look.faults.length > 0).toBe(verdict === MISFIT);
      }
    }),
    { numRuns: process.env["TICKWHEEL_TEST_DEPTH"] === "whole" ? 200 : 20 },
  );
});
