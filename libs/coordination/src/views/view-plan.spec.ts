import { describe, expect, test } from "@jest/globals";
import type { NodeRecord, NodeState, View } from "@tickwheel/core";
import { planView } from "./view-plan.js";

function node(bootId: string, state: NodeState = "live", typeIds: number[] = [1]): NodeRecord {
  return { bootId, label: `label-${bootId}`, version: "1", roles: ["engine"], typeIds, state, joinedAt: 0 };
}

function viewOf(...nodes: NodeRecord[]): View {
  return {
    number: 3,
    term: 2,
    publishedAt: 0,
    nodes: nodes.map(({ bootId, label, typeIds }) => ({ bootId, label, typeIds })),
  };
}

const NOBODY: ReadonlySet<string> = new Set();
const hasBeaten = (): boolean => true;

describe("the next view", () => {
  test("the next view holds the nodes that are live, not suspect and not leaving, in order", () => {
    const nodes = [node("5"), node("1"), node("2"), node("3", "draining"), node("4", "dead"), node("6")];
    const planned = planView({ nodes, suspects: new Set(["2"]), leaving: new Set(["6"]), hasBeaten, present: null });
    expect(planned).toEqual([
      { bootId: "1", label: "label-1", typeIds: [1] },
      { bootId: "5", label: "label-5", typeIds: [1] },
    ]);
  });

  test("the next view leaves out a node that has joined but not beaten yet: it may not work before that", () => {
    const nodes = [node("1"), node("2")];
    const only1 = (bootId: string): boolean => bootId === "1";
    const planned = planView({ nodes, suspects: NOBODY, leaving: NOBODY, hasBeaten: only1, present: null });
    expect(planned?.map(({ bootId }) => bootId)).toEqual(["1"]);
  });

  test("the next view is not published again while it holds the same nodes, in any order", () => {
    const present = viewOf(node("2", "live", [2, 1]), node("1"));
    const nodes = [node("1"), node("2", "live", [1, 2])];
    expect(planView({ nodes, suspects: NOBODY, leaving: NOBODY, hasBeaten, present })).toBeNull();
  });

  test.each([
    ["a node more", [node("1"), node("2")]],
    ["a type more", [node("1", "live", [1, 2])]],
    ["nobody left", [node("1", "draining")]],
    ["another incarnation under the same label", [{ ...node("2"), label: "label-1" }]],
  ])("%s is a change of the view", (_, nodes) => {
    expect(
      planView({ nodes, suspects: NOBODY, leaving: NOBODY, hasBeaten, present: viewOf(node("1")) }),
    ).not.toBeNull();
  });

  test("the next view is not published without nodes if there was none before", () => {
    expect(
      planView({ nodes: [node("1", "dead")], suspects: NOBODY, leaving: NOBODY, hasBeaten, present: null }),
    ).toBeNull();
  });
});
