import { describe, expect, test } from "@jest/globals";
import { TraceHash } from "./trace-hash.js";

function digestOf(...values: (string | number)[]): string {
  const hash = new TraceHash();
  for (const value of values) hash.add(value);
  return hash.digest();
}

describe("TraceHash", () => {
  test("TraceHash is the same for the same values in the same order, and for no other", () => {
    const kinds = [
      digestOf(),
      digestOf(""),
      digestOf(0),
      digestOf("0"),
      digestOf("ab", "c"),
      digestOf("a", "bc"),
      digestOf("c", "ab"),
      digestOf(1, 2),
      digestOf(2, 1),
      digestOf(1.5),
      digestOf(-1.5),
      digestOf(2 ** 60),
    ];
    expect(new Set(kinds).size).toBe(kinds.length);
    expect(digestOf("claim", 7, 12.25)).toBe(digestOf("claim", 7, 12.25));
    expect(digestOf("claim")).toMatch(/^[0-9a-f]{16}$/);
  });

  test("TraceHash goes on after it was read, and reading changes nothing", () => {
    const hash = new TraceHash().add("a");
    expect(hash.digest()).toBe(hash.digest());
    expect(hash.add("b").digest()).toBe(digestOf("a", "b"));
  });

  test("no two of 200,000 near values collide in either half of TraceHash", () => {
    const halves = [new Set<string>(), new Set<string>()];
    const count = 200_000;
    for (let value = 0; value < count; value++) {
      const digest = digestOf(value * 0.25);
      halves.forEach((half, index) => half.add(digest.slice(8 * index, 8 * index + 8)));
    }
    // Among so many 32-bit values, about five pairs are equal by chance.
    for (const half of halves) expect(count - half.size).toBeLessThan(20);
  });
});
