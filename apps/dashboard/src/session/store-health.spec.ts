import { expect, test } from "@jest/globals";
import { localProblem, type Problem } from "../api/problem.js";
import { storeAfter } from "./store-health.js";

const away = { since: 1, detail: "old" };
const problem = (fields: Partial<Problem>): Problem => ({ ...localProblem("Failed"), ...fields });

test("Postgres is away since the first answer that said so", () => {
  const said = problem({ status: 503, code: "STORE_UNAVAILABLE", detail: "new" });
  expect(storeAfter(null, { path: "/stats", problem: said, now: 5 })).toEqual({ since: 5, detail: "new" });
  expect(storeAfter(away, { path: "/stats", problem: said, now: 5 })).toEqual({ since: 1, detail: "new" });
});

test.each(["/session", "/cluster", "/findings"])("a good answer of %s comes from memory: it says nothing", (path) => {
  expect(storeAfter(away, { path, problem: null, now: 5 })).toBe(away);
});

test("it is back with the first answer that needed it, also a refusal", () => {
  expect(storeAfter(away, { path: "/stats", problem: null, now: 5 })).toBeNull();
  expect(storeAfter(away, { path: "/tasks/1", problem: problem({ status: 404 }), now: 5 })).toBeNull();
});

test.each([null, 401, 429, 500])("a call that failed otherwise (%p) says nothing", (status) => {
  expect(storeAfter(away, { path: "/stats", problem: problem({ status }), now: 5 })).toBe(away);
});
