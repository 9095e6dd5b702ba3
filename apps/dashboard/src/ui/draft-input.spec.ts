import { expect, test } from "@jest/globals";
import { faultAt, fieldOf } from "./draft-input.js";

test.each([
  ["type", "type"],
  ["payload.items[0].id", "payload"],
  ["/payload/items/0", "payload"],
  ["payload[0]", "payload"],
  ["$.delay", "delay"],
  ["tags[3]", "tags"],
  ["", ""],
])("the path %j belongs to the field %j", (path, field) => {
  expect(fieldOf(path)).toBe(field);
});

test("all faults of a form's field are told in one line", () => {
  const faults = [
    { path: "tags[3]", detail: "is too long" },
    { path: "type", detail: "is missing" },
    { path: "tags", detail: "has one twice" },
  ];
  expect(faultAt("tags", faults)).toBe("is too long; has one twice");
  expect(faultAt("key", faults)).toBeUndefined();
});
