import { describe, expect, test } from "@jest/globals";
import {
  asksToLeave,
  INITIAL_CONDITION,
  mayDispatch,
  mayLead,
  mayStand,
  nextCondition,
  type NodeCondition,
  type NodeEvent,
  type NodePhase,
} from "./node-state.js";

const EVENTS: NodeEvent[] = [
  ...(["join", "joined", "beat_late", "beat_good"] as const),
  ...(["lost", "announce_leaving", "start_draining", "left"] as const),
];

function after(...events: NodeEvent[]): NodeCondition {
  let condition = INITIAL_CONDITION;
  for (const event of events) condition = nextCondition(condition, event) ?? condition;
  return condition;
}

const at: Record<NodePhase, NodeCondition> = {
  idle: INITIAL_CONDITION,
  joining: after("join"),
  live: after("join", "joined"),
  leaving: after("join", "joined", "announce_leaving"),
  draining: after("join", "joined", "announce_leaving", "start_draining"),
  dead: after("join", "joined", "left"),
};

describe("a node's life", () => {
  test("a node's life goes from joining to live to leaving to draining to dead", () => {
    for (const [phase, condition] of Object.entries(at)) expect(condition).toEqual({ phase, fenced: false });
  });

  test("a node's life has every valid event, and the state it leads to", () => {
    const table = Object.entries(at).map(([phase, condition]) => {
      const moves = EVENTS.flatMap((event) => {
        const next = nextCondition(condition, event);
        return next === null ? [] : [`${event} → ${next.phase}${next.fenced ? " fenced" : ""}`];
      });
      return [phase, moves];
    });
    expect(Object.fromEntries(table)).toEqual({
      idle: ["join → joining"],
      joining: ["joined → live", "lost → joining", "left → dead"],
      live: [
        "beat_late → live fenced",
        "lost → joining",
        "announce_leaving → leaving",
        "start_draining → draining",
        "left → dead",
      ],
      leaving: ["beat_late → leaving fenced", "lost → dead", "start_draining → draining", "left → dead"],
      draining: ["beat_late → draining fenced", "lost → dead", "left → dead"],
      dead: ["join → joining"],
    });
  });

  test("a node's fence lasts until a good beat, and ends with the incarnation", () => {
    const fenced = after("join", "joined", "beat_late");
    expect(nextCondition(fenced, "beat_late")).toBeNull();
    expect(nextCondition(fenced, "beat_good")).toEqual(at.live);
    expect(nextCondition(fenced, "announce_leaving")).toEqual({ phase: "leaving", fenced: true });
    expect(nextCondition(fenced, "lost")).toEqual(at.joining);
  });

  test("a leaving node still dispatches but does not lead; a fenced node does neither", () => {
    const phases = Object.values(at);
    expect(phases.filter(mayDispatch)).toEqual([at.live, at.leaving]);
    expect(phases.filter(mayLead)).toEqual([at.live, at.leaving]);
    expect(phases.filter(mayStand)).toEqual([at.live]);
    expect(phases.filter(asksToLeave)).toEqual([at.leaving, at.draining]);
    const fenced = phases.map((condition) => ({ ...condition, fenced: true }));
    expect(fenced.some((condition) => mayDispatch(condition) || mayLead(condition) || mayStand(condition))).toBe(false);
  });
});
