import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { JsonSource, type JsonText } from "@tickwheel/core";
import { bodyHash, ListHash } from "./body-hash.js";

const hashOf = (payload: string): string => bodyHash({ type: "t", payload: new JsonSource(payload as JsonText) });

describe("body hashes", () => {
  test("a body's hash does not depend on the order of fields or the place of the idempotency key, but on anything else", () => {
    const hash = bodyHash({ type: "t", payload: { a: 1, b: [1, 2] } });
    expect(bodyHash({ idempotencyKey: "k", payload: { b: [1, 2], a: 1 }, type: "t" })).toBe(hash);
    expect(bodyHash({ type: "t", payload: { a: 1, b: [2, 1] } })).not.toBe(hash);
    expect(bodyHash({ type: "t", payload: { a: 1, b: [1, 2], idempotencyKey: "k" } })).not.toBe(hash);
  });

  test("a list hashes to the same item by item as at once", () => {
    const hashOfItems = (items: readonly unknown[]): string => {
      const hash = new ListHash();
      for (const item of items) hash.add(item);
      return hash.digest();
    };
    for (const list of [[], [{ type: "t" }], [1, { payload: [2] }, null]])
      expect(hashOfItems(list)).toBe(bodyHash(list));
    expect(hashOfItems([{ type: "t", idempotencyKey: "k" }])).toBe(bodyHash([{ type: "t" }]));
  });

  test("a Date counts as its ISO form in a body's hash", () => {
    const one = new Date(1_000);
    const other = new Date(2_000);
    expect(bodyHash({ at: one })).toBe(bodyHash({ at: one.toISOString() }));
    expect(bodyHash({ at: one })).not.toBe(bodyHash({ at: other }));
  });

  test("a body is hashed as the releases before did, whose hashes are kept for a day", () => {
    const canonical = '{"delay":"1h","payload":{"":null,"a":[1,0.5,-3e-7,0,true],"b":"\\\\ž\\n"},"type":"t"}';
    const text = ' { "b" : "\\\\\\u017e\\u000a", "a": [1.0, 5e-1, -0.0000003, -0, true], "": null } ';
    const body = { type: "t", delay: "1h", payload: new JsonSource(text as JsonText), idempotencyKey: "k" };
    expect(bodyHash(body)).toBe(createHash("sha256").update(canonical).digest("hex"));
    const value: unknown = JSON.parse(text);
    expect(bodyHash({ ...body, payload: value })).toBe(bodyHash(body));
  });

  test("text counts in a body's hash by what it says: not its spaces, escapes, order of fields or forms of numbers", () => {
    const hash = hashOf('{"a":[100,"A"],"b":12345678901234567890.5}');
    expect(hashOf(' {"b":1234567890123456789050e-2 , "\\u0061":0, "a" : [1e2,\n"\\u0041"]}')).toBe(hash);
  });

  test("numbers that a double takes for one differ to their last digit in a body's hash", () => {
    const numbers = ["12345678901234567890", "12345678901234567000", "12345678901234567891", "1e400", "1e401", "0.1"];
    const hashes = new Set([...numbers, "-1e400", "0.1000000000000000055", "null"].map(hashOf));
    expect(hashes.size).toBe(9);
  });

  test("a number whose exponent no double holds counts in a body's hash as it is written", () => {
    const exponent = "9".repeat(60_000);
    const numbers = [`1e${exponent}`, `1e-${exponent}`, `1e${exponent}0`, `2e${exponent}`, `-1e${exponent}`, "1e999"];
    expect(new Set(numbers.map(hashOf)).size).toBe(numbers.length);
    expect(hashOf("10e000000000000000000000003")).not.toBe(hashOf("1e5"));
    expect(hashOf("10e003")).toBe(hashOf("10000"));
  });

  test("many zeros inside a number take no quadratic time to hash", () => {
    const zeros = "0".repeat(60_000);
    expect(hashOf(`1${zeros}1`)).not.toBe(hashOf(`1${zeros}2`));
  });
});
