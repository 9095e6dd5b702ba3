import { beforeEach, describe, expect, test } from "@jest/globals";
import type { TokenGrant } from "@tickwheel/core";
import { Health } from "@tickwheel/coordination";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { limitOf, limitsOf } from "../../test-support/cluster-limits.js";
import { TokenLeases } from "./token-leases.js";

const MAIL = 1;

let clock: ManualClock;
let asked: number[];
let answers: (TokenGrant | Error | null)[];
let waiting: number;
let outdated: number;
let changes: number;
let leases: TokenLeases;
let health: Health;

beforeEach(() => {
  clock = new ManualClock();
  [asked, answers, waiting, outdated, changes] = [[], [], 100, 0, 0];
  health = new Health(clock, new RecordingTelemetry());
  leases = new TokenLeases({
    clock,
    random: { next: () => 0.5 },
    health,
    store: {
      takeTokens: async ({ most }) => {
        asked.push(most);
        const answer = answers.length > 0 ? answers.shift()! : { granted: most, nextMs: 0 };
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    limitsOf: limitsOf(limitOf(7, MAIL, { rate: { count: 40, perMs: 1_000, burst: 40 } })),
    waiting: () => waiting,
    changed: () => void changes++,
    outdated: () => void outdated++,
    granted: () => undefined,
  });
});

/** Takes tokens as long as there are any. */
function spendAll(): number {
  let spent = 0;
  for (; leases.isOpen(MAIL); spent++) leases.spend(MAIL);
  return spent;
}

test("a type without a rate needs no tokens", () => {
  expect([leases.isOpen(2), asked]).toEqual([true, []]);
});

test("tokens of a quarter of a second are asked for once, and spent", async () => {
  expect([spendAll(), spendAll()]).toEqual([0, 0]);
  await clock.settle();
  expect([asked, changes]).toEqual([[10], 1]);
  expect(spendAll()).toBe(10);
});

test("no more tokens are asked for than tasks wait, but one at least", async () => {
  waiting = 3;
  spendAll();
  await clock.settle();
  waiting = 0;
  expect(spendAll()).toBe(3);
  expect(asked).toEqual([3, 1]);
});

describe("a token", () => {
  beforeEach(async () => {
    spendAll();
    await clock.settle();
  });

  test("a token of a rate is good for a quarter of a second", async () => {
    await clock.advance(249);
    expect(leases.isOpen(MAIL)).toBe(true);
    await clock.advance(1);
    expect(leases.isOpen(MAIL)).toBe(false);
  });

  test("a token of a task that does not start is there again while it is good", async () => {
    spendAll();
    leases.giveBack(MAIL);
    expect(spendAll()).toBe(1);
    await clock.advance(250);
    leases.giveBack(MAIL);
    expect(leases.isOpen(MAIL)).toBe(false);
  });

  test("a token of an old rate is lost when the rates may be others", () => {
    leases.reset();
    expect(leases.isOpen(MAIL)).toBe(false);
  });
});

test("the next question for tokens waits for the next token where none is left", async () => {
  answers = [{ granted: 0, nextMs: 400 }];
  spendAll();
  await clock.settle();
  await clock.advance(424);
  expect([spendAll(), asked]).toEqual([0, [10]]);
  await clock.advance(1);
  expect(changes).toBe(1);
  spendAll();
  expect(asked).toEqual([10, 10]);
});

test("a failed question for tokens is asked again after a pause, and a rate that is gone makes the node read the settings", async () => {
  answers = [new Error("no answer"), null];
  spendAll();
  await clock.settle();
  expect([spendAll(), asked, outdated]).toEqual([0, [10], 0]);
  await clock.advance(250);
  spendAll();
  await clock.settle();
  expect([asked, outdated]).toEqual([[10, 10], 1]);
});

test("a failed question for tokens is no trouble any more when no task waits for its answer", async () => {
  answers = [new Error("no reply in time")];
  spendAll();
  await clock.settle();
  expect(health.list().map(({ part }) => part)).toEqual(["postgres"]);
  waiting = 0;
  expect(health.list()).toEqual([]);
});

test("an answer to a question for tokens of an old rate grants nothing", async () => {
  spendAll();
  leases.reset();
  await clock.settle();
  expect([spendAll(), changes]).toEqual([0, 0]);
});
