import { expect, test } from "@jest/globals";
import type { Findings } from "../api/asked.js";
import type { Finding, Severity } from "../api/wire.js";
import { localProblem, type Problem } from "../api/problem.js";
import { emptyFeed, type Feed } from "../feeds/feed.js";
import { staleTextOf, urgentCount, verdictOf } from "./verdict.js";

const problem = (fields: Partial<Problem> = {}): Problem => ({ ...localProblem("Failed"), ...fields });
const found = (severity: Severity): Finding => ({ severity }) as Finding;
const findings = (...severities: Severity[]): Feed<Findings> => ({
  value: { now: severities.map(found), lastDay: [] },
  readAt: 1,
  problem: null,
});
const current = { oldSince: null, seesAll: true };

test.each<[Severity[], string, string]>([
  [["critical", "warning", "warning", "notice"], "critical", "One thing is broken, two need you soon"],
  [["critical", "critical"], "critical", "Two things are broken"],
  [["warning"], "warning", "One thing needs you soon"],
  [["notice"], "good", "All is well"],
  [[], "good", "All is well"],
])("findings of severities %j are %s: %s", (severities, level, text) => {
  expect(verdictOf({ ...current, findings: findings(...severities) })).toEqual({ level, text });
});

test("the verdict is good only as far as the key may see", () => {
  expect(verdictOf({ ...current, findings: findings(), seesAll: false }).text).toBe("All is well in what you may see");
});

test("old findings are never good, and say since when", () => {
  expect(verdictOf({ ...current, findings: findings(), oldSince: "03:14:00" })).toEqual({
    level: "unknown",
    text: "State unknown: no figures since 03:14:00",
  });
});

test("missing findings are never good", () => {
  expect(verdictOf({ ...current, findings: emptyFeed }).level).toBe("unknown");
  expect(verdictOf({ ...current, findings: { ...emptyFeed, problem: problem() } }).text).toBe(
    "State unknown: no figures yet",
  );
});

test("findings that are notices need nobody", () => {
  expect(urgentCount((["critical", "notice", "warning"] as const).map(found))).toBe(2);
});

test("stale figures name the failure; a right that the key lacks is no failure", () => {
  const forbidden = { ...emptyFeed, problem: problem({ status: 403 }) };
  const failing = { ...emptyFeed, problem: problem({ status: 503, detail: "Postgres is away." }) };
  expect(staleTextOf([forbidden, failing])).toBe("Postgres is away.");
  expect(staleTextOf([forbidden, emptyFeed])).toBeNull();
});
