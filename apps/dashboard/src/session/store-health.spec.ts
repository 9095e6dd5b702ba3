import { expect, test } from "@jest/globals";
import { localProblem, type Problem } from "../api/problem.js";
import { hearAnswer, hearFindings, storeAfter, storeAway } from "./store-health.js";

const away = { since: 1, detail: "old" };
const problem = (fields: Partial<Problem>): Problem => ({ ...localProblem("Failed"), ...fields });

test("Postgres is away since the first answer that said so", () => {
  const said = problem({ status: 503, code: "STORE_UNAVAILABLE", detail: "new" });
  expect(storeAfter(null, { path: "/stats", problem: said, now: 5 })).toEqual({ since: 5, detail: "new" });
  expect(storeAfter(away, { path: "/stats", problem: said, now: 5 })).toEqual({ since: 1, detail: "new" });
});

test.each(["/session", "/cluster", "/findings", "/stats", "/stats/history?range=1h"])(
  "a good answer of %s may come from memory: it says nothing",
  (path) => {
    expect(storeAfter(away, { path, problem: null, now: 5 })).toBe(away);
  },
);

test("it is back with the first answer that needed it, also a refusal", () => {
  expect(storeAfter(away, { path: "/tasks", problem: null, now: 5 })).toBeNull();
  expect(storeAfter(away, { path: "/tasks/1", problem: problem({ status: 404 }), now: 5 })).toBeNull();
});

test.each([null, 401, 429, 500])("a call that failed otherwise (%p) says nothing", (status) => {
  expect(storeAfter(away, { path: "/stats", problem: problem({ status }), now: 5 })).toBe(away);
});

test("a finding that Postgres is away counts where all answers came from memory, not right behind an answer of its own", () => {
  const findings = [{ code: "POSTGRES_AWAY" }];
  hearAnswer({ path: "/tasks", problem: null, now: 100_000 });
  hearFindings(findings, 110_000);
  expect(storeAway.value).toBeNull();
  hearFindings([], 120_000);
  expect(storeAway.value).toBeNull();
  hearFindings(findings, 120_000);
  expect(storeAway.value).toEqual({ since: 120_000, detail: null });
  hearAnswer({ path: "/tasks", problem: null, now: 121_000 });
  expect(storeAway.value).toBeNull();
});
