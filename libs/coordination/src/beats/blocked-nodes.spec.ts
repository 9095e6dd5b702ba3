import { describe, expect, test } from "@jest/globals";
import type { BlockedLoop } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { BlockedNodes } from "./blocked-nodes.js";
import type { Sighting } from "./failure-detector.js";

const BLOCKED: BlockedLoop = {
  forMs: 1_200,
  running: [
    { type: "resize", count: 2 },
    { type: "mail", count: 1 },
  ],
  lastStarted: null,
};

function clusterOf() {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const seen = new Map<string, BlockedLoop | null>([
    ["1", null],
    ["2", null],
  ]);
  const sighting = ([bootId, blocked]: [string, BlockedLoop | null]) =>
    ({ bootId, label: `10.0.0.${bootId}:1`, vitals: { blocked } }) as unknown as Sighting;
  const observer = { sightings: () => [...seen].map(sighting), beatAgeMs: () => 300 };
  const nodes = new BlockedNodes({ clock, telemetry, observer }, () => "1");
  const names = () => telemetry.events.map(({ name }) => name);
  return { clock, telemetry, seen, nodes, names };
}

describe("blocked nodes", () => {
  test("blocked nodes are a condition of the cluster while their beats report it, with the types that they run", () => {
    const { seen, nodes } = clusterOf();
    expect(nodes.list()).toEqual([]);
    seen.set("2", BLOCKED);
    expect(nodes.list()).toEqual([
      { part: "node 10.0.0.2:1", forMs: 1_500, detail: "its event loop is blocked; running: resize × 2, mail" },
    ]);
    seen.delete("2");
    expect(nodes.list()).toEqual([]);
  });

  test("blocked nodes are reported once when the block begins and once when it ends", () => {
    const { seen, nodes, names, telemetry } = clusterOf();
    seen.set("2", BLOCKED);
    nodes.note();
    nodes.note();
    expect(telemetry.events[0]).toMatchObject({
      name: "cluster.node.blocked",
      level: "warn",
      message: "The event loop of node 10.0.0.2:1 is blocked; running: resize × 2, mail",
      facts: { blockedMs: 1_200, types: ["resize", "mail"] },
    });
    seen.set("2", null);
    nodes.note();
    nodes.note();
    expect(names()).toEqual(["cluster.node.blocked", "cluster.node.unblocked"]);
  });

  test("nodes that block again and again are reported at most every ten seconds", async () => {
    const { clock, seen, nodes, names } = clusterOf();
    for (let second = 0; second < 30; second++) {
      seen.set("2", second % 2 === 0 ? BLOCKED : null);
      nodes.note();
      await clock.advance(1_000);
    }
    expect(names().filter((name) => name === "cluster.node.blocked").length).toBeLessThanOrEqual(3);
  });

  test("blocked nodes do not report themselves: their own loop is the blocked one", () => {
    const { seen, nodes, names } = clusterOf();
    seen.set("1", BLOCKED);
    nodes.note();
    expect([nodes.list(), names()]).toEqual([[], []]);
  });
});
