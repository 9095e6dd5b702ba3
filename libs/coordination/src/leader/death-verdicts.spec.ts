import { expect, test } from "@jest/globals";
import type { NodeRecord, NodeState } from "@tickwheel/core";
import { deathVerdicts } from "./death-verdicts.js";

const node = (bootId: string, state: NodeState = "live") => ({ bootId, state }) as NodeRecord;

test("a leader declares all silent nodes dead by the beat that stood still, except itself, the dead and the unseen", () => {
  const nodes = [node("1"), node("2"), node("3", "draining"), node("4", "dead"), node("5"), node("6")];
  const beats = new Map([...["1", "2", "3", "4", "6"].entries()].map(([index, bootId]) => [bootId, 10 + index]));
  const silent = new Set(["1", "2", "3", "4", "5", "9"]);
  const verdicts = deathVerdicts({ nodes, silent, beatOf: (bootId) => beats.get(bootId), self: "1" });
  expect(verdicts.map(({ node: { bootId }, beat }) => [bootId, beat])).toEqual([
    ["2", 11],
    ["3", 12],
  ]);
});
