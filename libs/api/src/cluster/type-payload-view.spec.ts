import { expect, test } from "@jest/globals";
import { toTypePayload } from "./type-payload-view.js";

test("what is announced is shown as an object", () => {
  const shown = toTypePayload("t", { payloadSchema: '{"type":"object"}', payloadVersion: 3 });
  expect(shown).toEqual({ type: "t", payloadSchema: { type: "object" }, payloadVersion: 3 });
});

test.each([undefined, {}, { payloadSchema: "{" }])("nothing is shown of %j", (policy) => {
  expect(toTypePayload("t", policy)).toEqual({ type: "t", payloadSchema: null, payloadVersion: null });
});
