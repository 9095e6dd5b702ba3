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
  "a good answer of %s, which may come from memory, says nothing of the store",
  (path) => {
    expect(storeAfter(away, { path, problem: null, now: 5 })).toBe(away);
  },
);

test("the store is back with the first answer that needed it, also a refusal", () => {
  expect(storeAfter(away, { path: "/tasks", problem: null, now: 5 })).toBeNull();
  expect(storeAfter(away, { path: "/tasks/1", problem: problem({ status: 404 }), now: 5 })).toBeNull();
});

test.each([null, 401, 429, 500])("a call that failed otherwise (%p) says nothing of the store", (status) => {
  expect(storeAfter(away, { path: "/stats", problem: problem({ status }), now: 5 })).toBe(away);
});

test("a finding that Postgres is away counts where all answers came from memory, not right behind one of Postgres", () => {
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
