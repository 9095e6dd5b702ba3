import { describe, expect, test } from "@jest/globals";
import { LAST_GENERATION, MAX_CAPACITY, TimerRecords } from "./timer-records.js";

const LIST = 0;
const OTHER_LIST = 1;

function contents(records: TimerRecords, list: number): number[] {
  const found: number[] = [];
  for (let record = records.next(list); record !== list; record = records.next(record)) found.push(record);
  return found;
}

describe("TimerRecords", () => {
  test("as many timer records as the capacity can be live, and no more", () => {
    const records = new TimerRecords(2, { listCount: 2 });
    expect([records.allocate(), records.allocate(), records.allocate()]).toEqual([2, 3, -1]);
    expect(records.size).toBe(2);
  });

  test("a released record is used again under another handle", () => {
    const records = new TimerRecords(1, { listCount: 2 });
    const first = records.handleOf(records.allocate());
    records.release(2);
    const second = records.handleOf(records.allocate());
    expect(second).not.toBe(first);
    expect(records.find(second)).toBe(2);
    expect(records.find(first)).toBe(-1);
  });

  test("a record that has used up its generations is retired, and its last handle stays stale", () => {
    const records = new TimerRecords(2, { listCount: 2, lastGeneration: 3 });
    const handles: number[] = [];
    for (let life = 0; life < 4; life++) {
      const record = records.allocate();
      handles.push(records.handleOf(record));
      records.release(record);
    }
    expect(new Set(handles).size).toBe(4);
    expect(records.allocate()).toBe(-1);
    expect(handles.map((handle) => records.find(handle))).toEqual([-1, -1, -1, -1]);
    expect(records.size).toBe(0);
  });

  test("the last generation and the last index of all make a handle that is exact", () => {
    const largest = LAST_GENERATION * MAX_CAPACITY + (MAX_CAPACITY - 1);
    expect(largest).toBe(Number.MAX_SAFE_INTEGER);
  });

  test("a handle finds nothing once its record is free, though no other timer uses the record", () => {
    const records = new TimerRecords(1, { listCount: 2 });
    const handle = records.handleOf(records.allocate());
    records.release(2);
    expect(records.find(handle)).toBe(-1);
  });

  test("no number that was never a handle finds a record", () => {
    const records = new TimerRecords(2, { listCount: 2 });
    const handle = records.handleOf(records.allocate());
    const strange = [
      NaN,
      Infinity,
      -Infinity,
      -1,
      -handle,
      0,
      1,
      2 ** 53,
      1e300,
      handle + 0.5,
      handle + 1,
      handle + 2 ** 24,
    ];
    for (const number of strange) expect(records.find(number)).toBe(-1);
  });

  test("a list keeps the order of appending when records are unlinked from its ends and its middle", () => {
    const records = new TimerRecords(5, { listCount: 2 });
    const [a, b, c, d, e] = Array.from({ length: 5 }, () => records.allocate()) as [
      number,
      number,
      number,
      number,
      number,
    ];
    for (const record of [a, b, c, d, e]) records.append(LIST, record);
    for (const record of [a, c, e]) expect(records.unlink(record)).toBe(-1);
    expect(contents(records, LIST)).toEqual([b, d]);
  });

  test("unlinking the only record names the list that became empty", () => {
    const records = new TimerRecords(1, { listCount: 2 });
    records.append(OTHER_LIST, records.allocate());
    expect(records.unlink(2)).toBe(OTHER_LIST);
    expect(records.isEmpty(OTHER_LIST)).toBe(true);
  });

  test("moving a list of records takes all of them along in order, and an empty list changes nothing", () => {
    const records = new TimerRecords(2, { listCount: 2 });
    records.moveAll(LIST, OTHER_LIST);
    expect(records.isEmpty(OTHER_LIST)).toBe(true);
    records.append(LIST, records.allocate());
    records.append(LIST, records.allocate());
    records.moveAll(LIST, OTHER_LIST);
    expect(records.isEmpty(LIST)).toBe(true);
    expect(contents(records, OTHER_LIST)).toEqual([2, 3]);
    records.unlink(2);
    expect(records.unlink(3)).toBe(OTHER_LIST);
  });

  test("a list of records that is moved to a list that is not empty follows it", () => {
    const records = new TimerRecords(3, { listCount: 2 });
    for (const list of [LIST, OTHER_LIST, OTHER_LIST]) records.append(list, records.allocate());
    records.moveAll(OTHER_LIST, LIST);
    expect([contents(records, LIST), contents(records, OTHER_LIST)]).toEqual([[2, 3, 4], []]);
  });

  test("the first record of a list is taken out, until the list is empty", () => {
    const records = new TimerRecords(2, { listCount: 2 });
    for (let i = 0; i < 2; i++) records.append(LIST, records.allocate());
    records.dropFirst(LIST);
    expect(contents(records, LIST)).toEqual([3]);
    records.dropFirst(LIST);
    expect(records.isEmpty(LIST)).toBe(true);
  });

  test("lists of records that are warmed stay as they are, the empty list among them too", () => {
    const records = new TimerRecords(100, { listCount: 3 });
    for (let i = 0; i < 100; i++) records.append(i % 2, records.allocate());
    const before = [0, 1, 2].map((list) => contents(records, list));
    records.warm(0, 0b111 << 29, 7);
    expect([0, 1, 2].map((list) => contents(records, list))).toEqual(before);
  });

  test("as many records as were released can be taken again, each once, and then fresh ones", () => {
    const records = new TimerRecords(6_000, { listCount: 2 });
    for (let i = 0; i < 5_000; i++) records.allocate();
    for (let i = 0; i < 5_000; i++) records.release(2 + ((i * 7) % 5_000));
    const taken = Array.from({ length: 6_000 }, () => records.allocate());
    expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 6_000 }, (_, i) => 2 + i));
    expect(records.allocate()).toBe(-1);
  });

  test("memory in use grows with the most timer records there were at one time, by 32 bytes each", () => {
    const records = new TimerRecords(100, { listCount: 2 });
    const empty = records.memoryBytes;
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 10; i++) records.allocate();
      for (let i = 0; i < 10; i++) records.release(2 + i);
    }
    expect(records.memoryBytes - empty).toBe(320);
  });

  test("only live records are visited", () => {
    const records = new TimerRecords(4, { listCount: 2 });
    for (let i = 0; i < 3; i++) records.allocate();
    records.release(3);
    const visited: number[] = [];
    records.forEachLive((record) => visited.push(record));
    expect(visited).toEqual([2, 4]);
  });
});
