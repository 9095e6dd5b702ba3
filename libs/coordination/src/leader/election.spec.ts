import { describe, expect, test } from "@jest/globals";
import type { Term } from "@tickwheel/core";
import { candidacy, electionStep, NO_TERM_SEEN, type TermWatch, watchTerm } from "./election.js";

const TTL_MS = 3_000;
const led: Term = { term: 4, holder: "1", beat: 9 };

function watched(term: Term, stillMs: number): TermWatch {
  let watch = watchTerm(NO_TERM_SEEN, term, 0);
  for (let at = 0; at < stillMs; at += 250) watch = watchTerm(watch, term, 250);
  return watch;
}

describe("when to stand for leader", () => {
  test.each([
    ["nobody has looked yet", NO_TERM_SEEN, "no"],
    ["nobody holds the term", watched({ ...led, holder: null }, 0), "at_once"],
    ["somebody keeps it", watched(led, 2_750), "no"],
    ["it stood still for the leader's time", watched(led, 3_000), "with_lock"],
    ["it stood still a little less than twice that", watched(led, 5_750), "with_lock"],
    ["it stood still for twice the leader's time", watched(led, 6_000), "anyway"],
    ["it names ourselves", watched({ ...led, holder: "2" }, 0), "mine"],
  ] as const)("whether a node stands for leader by the term it sees: %s", (_, watch, expected) => {
    expect(candidacy(watch, "2", { leaderTtlMs: TTL_MS, isDead: () => false })).toBe(expected);
  });

  test("a term's holder that is known to be dead is followed without the lock, which outlives it", () => {
    const isDead = (bootId: string): boolean => bootId === led.holder;
    expect(candidacy(watched(led, 0), "2", { leaderTtlMs: TTL_MS, isDead })).toBe("anyway");
    expect(candidacy(watched(led, 0), String(led.holder), { leaderTtlMs: TTL_MS, isDead })).toBe("mine");
  });

  test.each([
    ["a beat", { ...led, beat: 10 }],
    ["another holder", { ...led, holder: "3" }],
    ["another term", { ...led, term: 5 }],
  ])("%s is a movement of the term: the wait to stand for leader begins anew", (_, moved) => {
    expect(watchTerm(watched(led, 10_000), moved, 250).stillMs).toBe(0);
  });
});

describe("a node's step at one look at the term", () => {
  const leads = { holds: true, mayLead: true, sinceKeptMs: 0, heartbeatIntervalMs: 1_000 };
  test.each([
    ["watches, as long as it leads nothing", { ...leads, holds: false }, "watch"],
    ["watches, whether it may lead or not", { ...leads, holds: false, mayLead: false }, "watch"],
    ["rests, where the term's beat was raised just now", leads, "rest"],
    ["keeps the term, where its beat is nearly due", { ...leads, sinceKeptMs: 900 }, "keep"],
    ["resigns, where it may not lead any more", { ...leads, mayLead: false, sinceKeptMs: 900 }, "resign"],
  ] as const)("at one look at the term a node %s", (_, situation, expected) => {
    expect(electionStep(situation)).toBe(expected);
  });
});
