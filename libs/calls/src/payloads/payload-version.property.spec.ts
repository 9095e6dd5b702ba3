import { test } from "@jest/globals";
import fc from "fast-check";
import { isOfNewer, isPayloadVersion, isToLift, MAX_PAYLOAD_VERSION, versionToStore } from "./payload-version.js";

const version = fc.option(fc.integer({ min: 1, max: MAX_PAYLOAD_VERSION }));

test("a payload is older, newer, or of the handler's version: exactly one", () => {
  fc.assert(
    fc.property(version, version, (stored, known) => {
      const isSame = (stored ?? 0) === (known ?? 0);
      return [isToLift({ stored, known }), isOfNewer({ stored, known }), isSame].filter(Boolean).length === 1;
    }),
  );
});

test("a node that lifts payloads of another node's version writes payloads that are newer for that node", () => {
  fc.assert(
    fc.property(version, version, (a, b) => isToLift({ stored: a, known: b }) === isOfNewer({ stored: b, known: a })),
  );
});

test("the payload version of a definition is stored whenever there is one, else the announced version", () => {
  fc.assert(
    fc.property(fc.option(version, { nil: undefined }), version, (definition, announced) => {
      const stored = versionToStore(definition, announced);
      return definition === undefined ? stored === announced : stored === definition;
    }),
  );
});

test("only integers within the bounds are payload versions", () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.integer(), fc.string(), fc.constant(null)), (value) => {
      const fits = typeof value === "number" && value >= 1 && value <= 32_767 && value % 1 === 0;
      return isPayloadVersion(value) === fits;
    }),
  );
});
