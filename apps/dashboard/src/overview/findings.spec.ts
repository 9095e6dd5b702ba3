import { describe, expect, test } from "@jest/globals";
import type { Cluster, ClusterNode, Stats } from "../api/wire.js";
import { findingsOf } from "./findings.js";

const now = Date.parse("2026-11-21T08:12:00.000Z");

const node = (fields: Partial<ClusterNode> = {}): ClusterNode => ({
  label: "10.0.0.4:4711",
  bootId: "4611686018427387904",
  version: "0.1.0",
  state: "live",
  roles: ["api", "engine"],
  types: ["order.cancel"],
  heartbeatAgeMs: 310,
  loopLagMs: 1.2,
  clockOffsetMs: -0.4,
  ownedSlots: 4096,
  wheelSize: 12_040,
  inFlight: 3,
  ...fields,
});

const cluster = (fields: Partial<Cluster> = {}): Cluster => ({
  coordination: "redis",
  leader: { node: "10.0.0.4:4711", bootId: "4611686018427387904", term: 7 },
  view: 12,
  slots: 4096,
  degraded: [],
  nodes: [node()],
  ...fields,
});

const stats = (fields: Partial<Stats> = {}, lastMinute: Partial<Stats["lastMinute"]> = {}): Stats => ({
  counts: { scheduled: 6311, running: 3, succeeded: 120, dead: 0, cancelled: 3688, expired: 0 },
  countedAt: "2026-11-21T08:12:00.000Z",
  dueNow: 2,
  oldestDueMs: 4,
  lastMinute: {
    created: 30_000,
    started: 29_000,
    succeeded: 29_000,
    failed: 0,
    latenessMs: { p50: 1.1, p99: 4.8, max: 31 },
    ...lastMinute,
  },
  wheel: { entries: 6300, bytes: 4_000_000 },
  ...fields,
});

const said = (c: Cluster | null, s: Stats | null) =>
  findingsOf(c, s, now).map(({ severity, title }) => `${severity}: ${title}`);

describe("findingsOf", () => {
  test("a healthy cluster has none, and neither has one of which nothing is known", () => {
    expect(said(cluster(), stats())).toEqual([]);
    expect(said(null, null)).toEqual([]);
    expect(said(cluster(), stats({ oldestDueMs: null, dueNow: 0 }, { latenessMs: null }))).toEqual([]);
  });

  test("the worst comes first", () => {
    const troubled = cluster({ leader: null, nodes: [node(), node({ label: "b", state: "draining" })] });
    const late = stats({ counts: { ...stats().counts, dead: 2 } });
    expect(said(troubled, late)).toEqual(["critical: No leader", "warning: 2 dead tasks", "notice: b is draining"]);
  });

  test("a degraded part says since when and why", () => {
    const degraded = [{ part: "redis", since: "2026-11-21T08:00:00.000Z", detail: "connection refused" }];
    expect(findingsOf(cluster({ coordination: "postgres-degraded", degraded }), null, now)).toEqual([
      { severity: "critical", title: "redis is degraded", detail: "For 12 min: connection refused" },
    ]);
  });

  test("Redis away is said even when no part is listed", () => {
    expect(said(cluster({ coordination: "postgres-degraded" }), null)).toEqual(["warning: Redis is away"]);
  });

  test.each<[Partial<ClusterNode>, string]>([
    [{ state: "dead" }, "warning: n is dead"],
    [{ state: "suspect" }, "warning: n is suspect"],
    [{ state: "joining" }, "notice: n is joining"],
    [{ heartbeatAgeMs: 3_001 }, "warning: n misses heartbeats"],
    [{ loopLagMs: 100.1 }, "warning: n is busy"],
    [{ clockOffsetMs: -501 }, "warning: n has a wrong clock"],
    [{ version: "0.2.0" }, "notice: Nodes run different versions"],
  ])("a node with %j", (fields, finding) => {
    expect(said(cluster({ nodes: [node(), node({ label: "n", ...fields })] }), null)).toEqual([finding]);
  });

  test("figures at their limit are still good, and a dead node's version does not count", () => {
    const atLimit = node({ heartbeatAgeMs: 3_000, loopLagMs: 100, clockOffsetMs: 500 });
    const dead = node({ label: "n", state: "dead", version: "0.0.9" });
    expect(said(cluster({ nodes: [atLimit, dead] }), null)).toEqual(["warning: n is dead"]);
  });

  test.each([[[]], [[node({ roles: ["api"] })]], [[node({ state: "suspect" })]]])("no live engine in %j", (nodes) => {
    expect(said(cluster({ nodes }), null)[0]).toBe("critical: No live engine");
  });

  test.each<[Stats, string]>([
    [stats({ oldestDueMs: 1_201 }), "warning: Due tasks start late"],
    [stats({ oldestDueMs: 10_001 }), "critical: Due tasks do not start"],
    [stats({}, { latenessMs: { p50: 1, p99: 251, max: 900 } }), "warning: Lateness is high"],
    [stats({}, { failed: 1 }), "warning: Attempts fail"],
    [stats({ counts: { ...stats().counts, dead: 1 } }), "warning: 1 dead task"],
  ])("figures that are too high: %#", (figures, finding) => {
    expect(said(null, figures)).toEqual([finding]);
  });
});
