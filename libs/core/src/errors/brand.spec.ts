import { describe, expect, test } from "@jest/globals";
import { brand } from "./brand.js";

/** What one of two copies of a package has made. */
function copy() {
  class LateError extends Error {}
  brand(LateError, "LateError");
  class VeryLateError extends LateError {}
  return { LateError, VeryLateError };
}

describe("a branded class of two copies of a package", () => {
  const one = copy();
  const other = copy();

  test("a branded class of two copies of a package finds what the other copy has made, and what is made of a subclass", () => {
    for (const made of [new one.LateError("a"), new other.LateError("b"), new other.VeryLateError("c")])
      expect([made instanceof one.LateError, made instanceof other.LateError]).toEqual([true, true]);
  });

  test("a branded class of two copies of a package leaves a subclass as it is, and finds nothing else", () => {
    expect(new one.VeryLateError("a") instanceof one.VeryLateError).toBe(true);
    expect(new one.LateError("a") instanceof one.VeryLateError).toBe(false);
    for (const value of [new Error("a"), {}, null, undefined, "LateError", Symbol.for("tickwheel.LateError")])
      expect((value as unknown) instanceof one.LateError).toBe(false);
  });

  test("a branded class shows no brand where an error is printed", () => {
    expect(Object.getOwnPropertySymbols(new one.LateError("a"))).toEqual([]);
  });
});
