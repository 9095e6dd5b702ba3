import { expect, test } from "@jest/globals";
import { SeededRandom } from "@tickwheel/testing";
import { ShrinkingMap } from "./shrinking-map.js";

test("ShrinkingMap behaves like a Map, in the same order, whatever is added and removed", () => {
  const random = new SeededRandom(7);
  const map = new ShrinkingMap<number, number>();
  const expected = new Map<number, number>();
  for (let step = 0; step < 5_000; step++) {
    const key = Math.floor(random.next() * 300);
    if (random.next() < 0.5) {
      map.set(key, step);
      expected.set(key, step);
    } else {
      map.delete(key);
      expected.delete(key);
    }
    expect([map.size, map.has(key), map.get(key)]).toEqual([expected.size, expected.has(key), expected.get(key)]);
    if (step % 997 === 0) expect([...map.keys()]).toEqual([...expected.keys()]);
  }
  expect([...map.values()]).toEqual([...expected.values()]);
  map.clear();
  expect([map.size, [...map.keys()]]).toEqual([0, []]);
});

test("a walk through a ShrinkingMap ends, whatever is removed meanwhile", () => {
  const map = new ShrinkingMap<number, number>();
  for (let key = 0; key < 200; key++) map.set(key, key);
  const walked: number[] = [];
  for (const key of map.keys()) {
    walked.push(key);
    map.delete(key);
    map.delete(199 - key);
  }
  expect(walked.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, key) => key));
  expect(map.size).toBe(0);
});
