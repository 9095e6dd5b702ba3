import { beforeEach, describe, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { limitOf, limitsOf } from "../../test-support/cluster-limits.js";
import { ClaimRounds } from "./claim-rounds.js";

const MAIL = 1;
const EXPORT = 2;

let clock: ManualClock;
let rounds: ClaimRounds;
let opened: number;

beforeEach(() => {
  clock = new ManualClock();
  opened = 0;
  rounds = new ClaimRounds({
    clock,
    random: { next: () => 0.5 },
    limitsOf: limitsOf(limitOf(7, MAIL, { maxRunning: 5 }), limitOf(8, EXPORT, { maxRunning: 5 })),
    opened: () => void opened++,
  });
});

test("a type that another node claims just now is open again after 3 ms", async () => {
  rounds.wasTaken(MAIL);
  expect([rounds.isOpen(MAIL), rounds.isOpen(EXPORT)]).toEqual([false, true]);
  await clock.advance(3);
  expect([rounds.isOpen(MAIL), opened]).toEqual([true, 1]);
});

describe("a type that found no place is open again", () => {
  beforeEach(() => rounds.wereFull([7]));

  test("a type that found no place is open again after 100 ms", async () => {
    await clock.advance(99);
    expect(rounds.isOpen(MAIL)).toBe(false);
    await clock.advance(1);
    expect([rounds.isOpen(MAIL), opened]).toEqual([true, 1]);
  });

  test("a type that found no place is open again at once when this node has freed a place of its limit, not of another limit", () => {
    rounds.freed([8]);
    expect(rounds.isOpen(MAIL)).toBe(false);
    rounds.freed([8, 7]);
    expect([rounds.isOpen(MAIL), opened]).toEqual([true, 1]);
  });

  test("a type that found no place is open again soon when another node tells of a free place", async () => {
    rounds.hinted([7]);
    await clock.advance(2);
    expect([rounds.isOpen(MAIL), opened]).toEqual([true, 1]);
  });
});

test("a limit that is full closes all types that it limits, and no others", () => {
  const ofNamespace = limitOf(9, 0, { maxRunning: 5 });
  const shared = limitsOf(limitOf(7, MAIL, { maxRunning: 5 }), limitOf(8, EXPORT, { maxRunning: 5 }));
  const all = (typeId: number) => ({ ...shared(typeId), counted: [...shared(typeId).counted, ofNamespace.id] });
  rounds = new ClaimRounds({ clock, random: { next: () => 0.5 }, limitsOf: all, opened: () => void opened++ });
  rounds.wereFull([7]);
  expect([rounds.isOpen(MAIL), rounds.isOpen(EXPORT)]).toEqual([false, true]);
  rounds.wereFull([9]);
  expect([rounds.isOpen(MAIL), rounds.isOpen(EXPORT)]).toEqual([false, false]);
  rounds.freed([9]);
  expect([rounds.isOpen(MAIL), rounds.isOpen(EXPORT)]).toEqual([false, true]);
});

test("a type behind a full limit is tried ten milliseconds apart, however often other nodes tell of room", async () => {
  const tries: number[] = [];
  for (let ms = 0; ms < 100; ms++) {
    if (rounds.isOpen(MAIL)) {
      tries.push(ms);
      rounds.wereFull([7]);
    }
    rounds.hinted([7]);
    await clock.advance(1);
  }
  expect(tries).toEqual([0, 2, 12, 22, 32, 42, 52, 62, 72, 82, 92]);
});

test("the limits that were full lately are told for a while", async () => {
  rounds.wereFull([7]);
  await clock.advance(1_000);
  rounds.wereFull([8]);
  expect(rounds.waits()).toEqual([7, 8]);
  await clock.advance(1_600);
  expect(rounds.waits()).toEqual([8]);
});

test("every type is open once the limits may be others", async () => {
  rounds.wereFull([7]);
  rounds.reset();
  expect([rounds.isOpen(MAIL), rounds.waits()]).toEqual([true, []]);
  await clock.advance(1_000);
  expect(opened).toBe(0);
});
