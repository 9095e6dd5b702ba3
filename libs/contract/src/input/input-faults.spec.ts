import { describe, expect, test } from "@jest/globals";
import { errorOfFaults, throwFaults } from "./input-faults.js";

const faults = (count: number, path = "a"): { path: string; message: string }[] =>
  Array.from({ length: count }, (_, index) => ({ path: `${path}${index}`, message: "is not a known field" }));

describe("the error of faults", () => {
  test("the error of faults is none where there are no faults", () => expect(() => throwFaults([])).not.toThrow());

  test("the error of faults names all of a few faults in its message", () => {
    expect(errorOfFaults(faults(2))).toMatchObject({
      code: "VALIDATION_FAILED",
      message: "a0 is not a known field; a1 is not a known field",
      faults: faults(2),
    });
  });

  test("the error of faults tells fifty of many, in 64 KiB whatever their paths are, and how many more there are", () => {
    for (const path of ["a".repeat(1_000), "\0".repeat(1_000), "\ud800".repeat(1_000), "🐎".repeat(1_000)]) {
      const error = errorOfFaults(faults(1_000_000, path));
      expect(error.faults).toHaveLength(50);
      expect(error.message).toContain("and 999995 more");
      expect(Buffer.byteLength(JSON.stringify([error.message, error.faults]))).toBeLessThan(32_768);
    }
  });

  test("the error of faults tells no more of them than it is asked to", () =>
    expect(errorOfFaults(faults(9), 1).faults).toHaveLength(1));
});
