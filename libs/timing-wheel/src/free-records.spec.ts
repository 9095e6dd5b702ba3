import { describe, expect, test } from "@jest/globals";
import { SeededRandom } from "@tickwheel/testing";
import { AT_HAND, FreeRecords } from "./free-records.js";

const END = 10_000;

function takeAll(free: FreeRecords): number[] {
  const taken: number[] = [];
  for (let record = free.take(); record >= 0; record = free.take()) taken.push(record);
  return taken;
}

/** The records from 0 on, in an order that is not theirs. */
function shuffled(count: number): number[] {
  return Array.from({ length: count }, (_, i) => (i * 7_919) % count);
}

describe("FreeRecords", () => {
  test("FreeRecords has no record at first", () => {
    expect(new FreeRecords(END).take()).toBe(-1);
  });

  test("FreeRecords gives back the record that was put last first, which is still in the cache", () => {
    const free = new FreeRecords(END);
    for (const record of [5, 3, 9]) free.put(record);
    expect(takeAll(free)).toEqual([9, 3, 5]);
  });

  test("FreeRecords gives back every one of many once, and in the order of memory those that were not put just now", () => {
    const free = new FreeRecords(END);
    for (const record of shuffled(END)) free.put(record);
    const taken = takeAll(free);
    const inOrder = taken.slice(AT_HAND);
    expect(inOrder).toEqual([...inOrder].sort((a, b) => a - b));
    expect([...taken].sort((a, b) => a - b)).toEqual(Array.from({ length: END }, (_, record) => record));
  });

  test("FreeRecords goes round: what lies before the cursor follows what lies after it", () => {
    const free = new FreeRecords(END);
    for (const record of shuffled(END)) free.put(record);
    const half = Array.from({ length: END / 2 }, () => free.take());
    for (const record of half) free.put(record);
    expect(takeAll(free).sort((a, b) => a - b)).toEqual(Array.from({ length: END }, (_, record) => record));
  });

  test("FreeRecords never gives a record that is in use, however puts and takes alternate", () => {
    const free = new FreeRecords(END);
    const inUse = new Set(shuffled(END));
    const random = new SeededRandom(1);
    for (let step = 0; step < 100_000; step++) {
      const putsMore = Math.floor(step / 5_000) % 2 === 0;
      const isPut = random.next() < (putsMore ? 0.75 : 0.25);
      if (isPut && inUse.size > 0) {
        const record = inUse.values().next().value!;
        inUse.delete(record);
        free.put(record);
        continue;
      }
      const record = free.take();
      if (record < 0) expect(inUse.size).toBe(END);
      else expect(inUse.has(record)).toBe(false);
      if (record >= 0) inUse.add(record);
    }
    for (const record of takeAll(free)) inUse.add(record);
    expect(inUse.size).toBe(END);
  });
});
