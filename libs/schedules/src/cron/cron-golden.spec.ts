import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { FoldPolicy, GapPolicy } from "../definition/schedule.js";
import { CronInstants } from "./cron-instants.js";
import { zoneClock } from "./zone-clock.js";

/** `[first, step, count, step, count …]` in seconds from the window's start. */
type RunList = number[];
type Expected = 0 | RunList | { n?: RunList; g?: RunList; f?: RunList; s?: RunList };
type Change = [at: number, offsetBefore: number, offsetAfter: number];

interface Golden {
  expressions: { cron: string; hours: "fixed" | "elapsed"; reach?: number }[];
  zones: Record<string, { changes: Change[]; windows: [number, number, number?][]; expected: Expected[][] }>;
}

const golden = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../test-support/cron-golden.json"), "utf8"),
) as Golden;
/** Whether proofs run in full, as before a release: `run-tests.mjs --whole`. */
const IS_WHOLE = process.env["TICKWHEEL_TEST_DEPTH"] === "whole";
/**
 * A sample has each third window of an expression, and each ninth where it has seconds: those have tens of thousands of
 * instants. Neighbours in the list of expressions have different windows.
 */
const EACH = IS_WHOLE ? { ofMinutes: 1, ofSeconds: 1 } : { ofMinutes: 3, ofSeconds: 9 };
const POLICIES = (["shift", "skip"] as const).flatMap((gap) =>
  (["first", "last", "both"] as const).map((fold) => ({ gap, fold })),
);

function unpacked([first, ...runs]: RunList, from: number): number[] {
  const instants = [from + first!];
  for (let index = 0; index < runs.length; index += 2)
    for (let count = runs[index + 1]!; count > 0; count -= 1) instants.push(instants.at(-1)! + runs[index]!);
  return instants.map((second) => second * 1_000);
}

function expectedOf(lists: Expected, from: number, { gap, fold }: { gap: GapPolicy; fold: FoldPolicy }): number[] {
  const { n, g, f, s } = lists === 0 ? {} : Array.isArray(lists) ? { n: lists } : lists;
  const wanted = [
    n,
    gap === "shift" ? g : undefined,
    fold === "last" ? undefined : f,
    fold === "first" ? undefined : s,
  ];
  const instants = wanted.flatMap((list) => (list ? unpacked(list, from) : []));
  return [...new Set(instants)].sort((one, other) => one - other);
}

function clipped([from, to, change]: [number, number, number?], reach: number | undefined): [number, number] {
  if (!reach) return [from, to];
  const around = reach * 3_600;
  return change === undefined
    ? [from, from + 2 * around]
    : [Math.max(from, change - around), Math.min(to, change + around)];
}

function forward(instants: CronInstants, from: number, to: number): number[] {
  const found: number[] = [];
  for (let at = instants.next(from - 1); at !== null && at < to; at = instants.next(at)) found.push(at);
  return found;
}

function backward(instants: CronInstants, from: number, to: number): number[] {
  const found: number[] = [];
  for (let at = instants.previous(to); at !== null && at >= from; at = instants.previous(at)) found.unshift(at);
  return found;
}

/** Whether this machine's rules have the changes that the file was made with, near a window. */
function hasSameRules(zone: string, changes: readonly Change[], [from, to]: readonly [number, number]): boolean {
  const clock = zoneClock(zone);
  return changes
    .filter(([at]) => at > from - 172_800 && at < to + 172_800)
    .every(
      ([at, before, after]) =>
        clock.periodAt(at * 1_000 - 1).offsetMs === before * 1_000 &&
        clock.periodAt(at * 1_000).offsetMs === after * 1_000,
    );
}

const zones = Object.entries(golden.zones);
const expressions = golden.expressions;

describe.each(zones)("cron in %s, at every change of clocks from 2018 to 2027", (timeZone, zone) => {
  const usable = zone.windows.map(([from, to]) => hasSameRules(timeZone, zone.changes, [from, to]));

  test("cron is tested with the clock changes that the test data was made with", () => {
    // Where tzdata moved a change that lay ahead, its windows are left out; the past does not move.
    expect(usable.filter(Boolean).length).toBeGreaterThan(zone.windows.length / 2);
  });

  test.each(expressions.map(({ cron }, index) => ({ cron, index })))(
    "the cron expression $cron has the instants that two other methods found, under every policy, forwards and backwards",
    ({ cron, index }) => {
      const each = cron.split(" ").length > 5 ? EACH.ofSeconds : EACH.ofMinutes;
      for (const policies of POLICIES) {
        const instants = new CronInstants({ cron, timeZone, ...policies });
        zone.windows.forEach((window, place) => {
          if (!usable[place] || (place + index) % each > 0) return;
          const [from, to] = clipped(window, expressions[index]!.reach);
          const wanted = expectedOf(zone.expected[index]![place]!, from, policies);
          // As texts: tens of thousands of lists are compared.
          expect(String(forward(instants, from * 1_000, to * 1_000))).toBe(String(wanted));
          expect(String(backward(instants, from * 1_000, to * 1_000))).toBe(String(wanted));
        });
      }
    },
  );
});
