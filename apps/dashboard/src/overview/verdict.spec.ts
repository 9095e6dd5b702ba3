import { expect, test } from "@jest/globals";
import { localProblem, type Problem } from "../api/problem.js";
import type { Cluster, Stats } from "../api/wire.js";
import { emptyFeed, type Feed } from "../feeds/feed.js";
import type { Finding } from "./findings.js";
import { staleTextOf, verdictOf } from "./verdict.js";

const problem = (fields: Partial<Problem> = {}): Problem => ({ ...localProblem("Failed"), ...fields });
const cluster: Feed<Cluster> = { value: {} as Cluster, readAt: 1, problem: null };
const stats: Feed<Stats> = { value: {} as Stats, readAt: 1, problem: null };
const forbidden: Feed<Cluster> = { ...emptyFeed, problem: problem({ status: 403 }) };
const found = (severity: Finding["severity"]): Finding => ({ severity, title: "x", detail: "y" });

test("says what is broken and what needs somebody soon, at the level of the worst", () => {
  const [critical, warning, notice] = (["critical", "warning", "notice"] as const).map(found);
  const verdictFor = (...findings: (Finding | undefined)[]) =>
    verdictOf(
      cluster,
      stats,
      findings.filter((finding) => finding !== undefined),
    );
  const both = { level: "critical", text: "One thing is broken, two need you soon" };
  expect(verdictFor(critical, warning, warning, notice)).toEqual(both);
  expect(verdictFor(critical, critical)).toEqual({ level: "critical", text: "Two things are broken" });
  expect(verdictFor(warning)).toEqual({ level: "warning", text: "One thing needs you soon" });
  expect(verdictFor(notice)).toEqual({ level: "good", text: "All is well" });
});

test("is good only as far as the key may see", () => {
  expect(verdictOf(forbidden, stats, [])).toEqual({ level: "good", text: "All is well in what this key may see" });
});

test("old figures and missing ones are never good", () => {
  const levels = [
    verdictOf(cluster, { ...stats, problem: problem() }, []),
    verdictOf({ ...cluster, problem: problem({ status: 503 }) }, stats, []),
    verdictOf(emptyFeed, stats, []),
    verdictOf(cluster, emptyFeed, []),
  ].map(({ level }) => level);
  expect(levels).toEqual(["unknown", "unknown", "unknown", "unknown"]);
});

test("stale figures name the failure; a right that the key lacks is none", () => {
  const failing = { ...stats, problem: problem({ status: 503, detail: "Postgres is away." }) };
  expect(staleTextOf([forbidden, failing])).toBe("Postgres is away.");
  expect(staleTextOf([forbidden, stats])).toBeNull();
});
