import { beforeEach, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import type { ExecutionEntry } from "../held/executions.js";
import { TimeOuts } from "./time-outs.js";

let clock: ManualClock;
let over: { id: string; atMs: number }[];
let timers: number;
let timeOuts: TimeOuts;

beforeEach(() => {
  clock = new ManualClock();
  [over, timers] = [[], 0];
  timeOuts = new TimeOuts({
    clock: {
      monotonicMs: () => clock.monotonicMs(),
      setTimer: (delayMs, callback) => (timers++, clock.setTimer(delayMs, callback)),
    },
    timeOut: (entry) => {
      entry.state = "ended";
      over.push({ id: entry.task.id, atMs: clock.monotonicMs() });
    },
  });
});

function start(id: string, timeoutMs: number): ExecutionEntry {
  const entry = { task: { id }, state: "running", endsMonoMs: clock.monotonicMs() + timeoutMs } as ExecutionEntry;
  timeOuts.started(entry);
  return entry;
}

function ends(entry: ExecutionEntry): void {
  timeOuts.returned(entry);
}

test("each execution times out at its own time, by one timer for the first of them", async () => {
  start("slow", 500);
  start("fast", 100);
  start("later", 300);
  expect(timers).toBe(2);
  await clock.advance(1_000);
  expect(over).toEqual([
    { id: "fast", atMs: 100 },
    { id: "later", atMs: 300 },
    { id: "slow", atMs: 500 },
  ]);
});

test("handlers that return in time set no timer of their own, and none is left behind the last one", async () => {
  const long = start("long", 30_000);
  for (let count = 0; count < 1_000; count++) ends(start("short", 30_000));
  expect(timers).toBe(1);
  ends(long);
  expect(clock.pendingTimers).toBe(0);
  await clock.advance(60_000);
  expect(over).toEqual([]);
});

test("an execution that has returned before its time-out is passed over, and the next one is waited for", async () => {
  const first = start("first", 100);
  await clock.advance(50);
  start("second", 100);
  ends(first);
  await clock.advance(99);
  expect(over).toEqual([]);
  await clock.advance(1);
  expect(over).toEqual([{ id: "second", atMs: 150 }]);
});

test("an execution that has ended does not time out, whether its handler has returned or not", async () => {
  const one = start("one", 100);
  const two = start("two", 100);
  const three = start("three", 100);
  two!.state = "ended";
  ends(one!);
  await clock.advance(100);
  expect(over.map(({ id }) => id)).toEqual(["three"]);
  ends(two!);
  ends(three!);
  expect(clock.pendingTimers).toBe(0);
});

test("two executions of one task end each at its own time", async () => {
  start("twice", 100);
  await clock.advance(50);
  start("twice", 100);
  await clock.advance(1_000);
  expect(over.map(({ atMs }) => atMs)).toEqual([100, 150]);
});
