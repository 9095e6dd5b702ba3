import { expect, test } from "@jest/globals";
import { bearerKey, callerOf, hashApiKey, MIN_KEY_LENGTH, newApiKey } from "./api-key.js";

test("a new key is long enough, can stand in a header, and is new each time", () => {
  const key = newApiKey();
  expect(key.length).toBeGreaterThanOrEqual(MIN_KEY_LENGTH);
  expect(bearerKey(`Bearer ${key}`)).toBe(key);
  expect(newApiKey()).not.toBe(key);
});

test("the hash of a key is its SHA-256 in hex", () => {
  expect(hashApiKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test.each([
  ["Bearer secret", "secret"],
  ["bearer secret", "secret"],
  ["Basic secret", null],
  ["Bearer", null],
  ["Bearer a b", null],
  ["Bearer ä", null],
  [`Bearer ${"x".repeat(513)}`, null],
  [undefined, null],
  [["Bearer a", "Bearer b"], null],
])("the header %j holds the key %j", (header, key) => {
  expect(bearerKey(header)).toBe(key);
});

test("a key calls as itself, always as the same caller; an administrator may write", () => {
  const keyOf = (role: "viewer" | "operator" | "admin") =>
    ({ id: "7", namespace: "shop", role, cluster: false, rights: [], types: null, expiresAt: null }) as const;
  const key = keyOf("viewer");
  expect(callerOf(key)).toEqual({
    namespace: "shop",
    actor: "key:7",
    reader: "7",
    rights: "viewer",
    types: null,
    cluster: false,
  });
  expect(callerOf(key)).toBe(callerOf(key));
  expect([keyOf("operator"), keyOf("admin")].map((given) => callerOf(given).rights)).toEqual(["operator", "admin"]);
});
