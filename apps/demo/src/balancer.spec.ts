import { describe, expect, test } from "@jest/globals";
import { Balancer } from "./balancer.js";

const OLD = -60_000;

describe("the balancer", () => {
  test("goes by turns, so that a second try meets another node", () => {
    const balancer = new Balancer(() => ["a", "b", "c"].map((url) => ({ url, joinedMonoMs: OLD })));
    const [first, second, third, fourth] = Array.from({ length: 4 }, () => balancer.next());
    expect(new Set([first, second, third]).size).toBe(3);
    expect(fourth).toBe(first);
  });

  test.each([
    [0, 0.1],
    [5_000, 0.5],
    [10_000, 1],
    [60_000, 1],
  ])("gives a node that joined %d ms ago %d of a share", (ageMs, share) => {
    const targets = [
      { url: "old", joinedMonoMs: OLD },
      { url: "new", joinedMonoMs: -ageMs },
    ];
    const balancer = new Balancer(
      () => targets,
      () => 0,
    );
    const taken: Record<string, number> = { old: 0, new: 0 };
    for (let call = 0; call < 1_100; call++) taken[balancer.next()!]! += 1;
    expect(taken["new"]! / taken["old"]!).toBeCloseTo(share, 1);
  });

  test("has an answer when all nodes are new, and none when there is no node", () => {
    const balancer = new Balancer(
      () => [{ url: "new", joinedMonoMs: 0 }],
      () => 0,
    );
    expect(balancer.next()).toBe("new");
    expect(new Balancer(() => []).next()).toBeUndefined();
  });
});
