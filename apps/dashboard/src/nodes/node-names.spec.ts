import { expect, test } from "@jest/globals";
import { isoOf, nodeOf, t0 } from "../../test-support/cluster-events.js";
import type { GoneNode } from "../api/wire.js";
import { namesOf, nodeRows } from "./node-names.js";

/** An incarnation that beat last `lastBeatS` seconds after `t0`, and was declared dead 4 s later. */
const goneNode = (label: string, name: string, lastBeatS: number): GoneNode => ({
  bootId: `boot-${label}`,
  label,
  name,
  how: "DEAD",
  orphanedTypes: [],
  at: isoOf(lastBeatS + 4),
  lastBeatAt: isoOf(lastBeatS),
});

test("a node has its name, or its label where several share the name", () => {
  const nodes = [nodeOf("a", { name: "host" }), nodeOf("b", { name: "host" }), nodeOf("c", { name: "other" })];
  const nameOf = namesOf({ nodes });
  const names = ["a", "b", "c", "d", null].map((label) => nameOf({ label, bootId: "7" }));
  expect(names).toEqual(["a", "b", "other", "d", "node 7"]);
});

test("a node that restarted keeps its name, and is one row with its incarnations before it", () => {
  const nodes = [nodeOf("a:2", { name: "shop", joinedAt: isoOf(11) }), nodeOf("b:1", { name: "mail" })];
  const gone = [goneNode("a:1", "shop", 10), goneNode("a:0", "shop", 1), goneNode("c:1", "old", 5)];
  const nameOf = namesOf({ nodes, gone });
  expect(["a:2", "a:1", "b:1", "c:1"].map((label) => nameOf({ label, bootId: "" }))).toEqual([
    "shop",
    "shop",
    "mail",
    "old",
  ]);
  const rows = nodeRows({ nodes, gone }, t0);
  const labels = rows.there.map(({ node, earlier }) => [node.label, ...earlier.map(({ label }) => label)]);
  expect(labels).toEqual([["a:2", "a:1", "a:0"], ["b:1"]]);
  expect(rows.gone.map(({ node }) => node.label)).toEqual(["c:1"]);
});

test("nodes that had one name at the same time are told apart by their labels", () => {
  const nodes = [nodeOf("a:1", { name: "host", joinedAt: isoOf(0) })];
  const gone = [goneNode("a:2", "host", 10)];
  expect(namesOf({ nodes, gone })({ label: "a:2", bootId: "" })).toBe("a:2");
  expect(nodeRows({ nodes, gone }, t0)).toMatchObject({ there: [{ earlier: [] }], gone: [{ node: { label: "a:2" } }] });
});

test("a dead node that is not counted among the gone nodes yet is listed among them, once", () => {
  const nodes = [nodeOf("a", { state: "dead", heartbeatAgeMs: 5_000 }), nodeOf("b", { state: "dead" })];
  const { there, gone } = nodeRows({ nodes, gone: [goneNode("b", "name-b", -60)] }, t0);
  expect(there).toEqual([]);
  expect(gone.map(({ node: { label, at } }) => [label, at])).toEqual([
    ["a", isoOf(-5)],
    ["b", isoOf(-56)],
  ]);
});
