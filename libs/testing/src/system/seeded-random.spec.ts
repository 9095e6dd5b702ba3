import { describe, expect, test } from "@jest/globals";
import { SeededRandom } from "./seeded-random.js";

function draw(seed: number, count: number): number[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, () => random.next());
}

describe("SeededRandom", () => {
  test("SeededRandom gives the same numbers for the same seed, others for another", () => {
    expect(draw(7, 20)).toEqual(draw(7, 20));
    expect(draw(7, 20)).not.toEqual(draw(8, 20));
    expect(new SeededRandom(7).bytes(32)).toEqual(new SeededRandom(7).bytes(32));
  });

  test("SeededRandom gives the known sequence of mulberry32", () => {
    expect(draw(1, 3)).toEqual([0.6270739405881613, 0.002735721180215478, 0.5274470399599522]);
  });

  test("SeededRandom stays in [0, 1) and is spread evenly over it", () => {
    const tenths = Array.from({ length: 10 }, () => 0);
    for (const value of draw(42, 20_000)) tenths[Math.floor(value * 10)]!++;
    for (const count of tenths) expect(Math.abs(count - 2_000)).toBeLessThan(200);
  });

  test("SeededRandom gives as many bytes as asked for, of all values", () => {
    const bytes = new SeededRandom(3).bytes(10_000);
    expect(bytes).toHaveLength(10_000);
    expect(new Set(bytes).size).toBe(256);
  });
});
