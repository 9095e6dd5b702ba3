import { describe, expect, test } from "@jest/globals";
import { deathOfC, eventOf, nodeOf, t0 } from "../../test-support/cluster-events.js";
import { namesOf } from "../nodes/node-names.js";
import { mostLanes, timeLineOf } from "./time-line.js";

const plain = namesOf({ nodes: [] });
const from = t0 - 60_000;
const until = t0 + 60_000;
const at = (seconds: number): number => t0 + seconds * 1_000;
const led = (label: string, term: number) => ({ node: label, bootId: `boot-${label}`, term });
const lineOf = (events: Parameters<typeof timeLineOf>[0]["events"], nodes = [nodeOf("a"), nodeOf("b")], leader = "b") =>
  timeLineOf({ events, cluster: { nodes, leader: led(leader, 9) }, from, until, nameOf: plain });

describe("the time line", () => {
  test("a node that dies is in the time line until then, suspect at its end, and its lane is the last", () => {
    const { lanes } = lineOf(deathOfC());
    expect(lanes.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(lanes[2]!.spans).toEqual([
      { from, until: at(11.4), state: "live" },
      { from: at(11.4), until: at(15.5), state: "suspect" },
    ]);
    expect(lanes[0]!.spans).toEqual([{ from, until, state: "live" }]);
  });

  test("the leader's line in the time line passes from the dead node to its heir", () => {
    const { lanes, terms } = lineOf(deathOfC());
    expect(lanes.map(({ leads }) => leads)).toEqual([[], [{ from: at(15.6), until }], [{ from, until: at(15.5) }]]);
    expect(terms).toEqual([{ at: at(15.6), term: 9 }]);
  });

  test("the leader has led all along in the time line if no change is told", () => {
    expect(lineOf([]).lanes.map(({ leads }) => leads)).toEqual([[], [{ from, until }]]);
  });

  test("a drain and a goodbye end a lane of the time line without a death", () => {
    const events = [
      eventOf("DRAINING", { atS: 5, label: "c", facts: {} }),
      eventOf("DRAINED", { atS: 8, label: "c", facts: { lastedMs: 3_000, givenBack: 0 } }),
      eventOf("LEFT", { atS: 9, label: "c", facts: { orphanedTypes: [] } }),
    ];
    const lane = lineOf(events).lanes[2]!;
    expect(lane.spans).toEqual([
      { from, until: at(5), state: "live" },
      { from: at(5), until: at(9), state: "draining" },
    ]);
    expect(lane.marks.map(({ kind }) => kind)).toEqual(["DRAINING", "DRAINED", "LEFT"]);
  });

  test("two incarnations under one label share a lane of the time line, with the gap between them", () => {
    const [left] = [eventOf("LEFT", { atS: 1, label: "c", facts: { orphanedTypes: [] } })];
    const again = nodeOf("c", { bootId: "boot-c2", joinedAt: new Date(at(20)).toISOString() });
    const { lanes } = lineOf([left!], [nodeOf("a"), nodeOf("b"), again]);
    const spans = lanes.find(({ name }) => name === "c")!.spans;
    expect([...spans].sort((one, other) => one.from - other.from)).toEqual([
      { from, until: at(1), state: "live" },
      { from: at(20), until, state: "live" },
    ]);
  });

  test("lanes beyond those that the time line can draw are counted", () => {
    const nodes = Array.from({ length: mostLanes + 3 }, (_, index) => nodeOf(`n${index}`));
    const { lanes, hiddenLanes } = lineOf([], nodes, "n0");
    expect([lanes.length, hiddenLanes]).toEqual([mostLanes, 3]);
  });
});
