import { expect, test } from "@jest/globals";
import { localProblem, type Problem } from "../api/problem.js";
import { emptyFeed, feedAfter, waitAskedFor, type Feed } from "./feed.js";

const problem = (fields: Partial<Problem>): Problem => ({ ...localProblem("Failed"), ...fields });
const failed = (fields: Partial<Problem>) => ({ ok: false, problem: problem(fields) }) as const;
const known: Feed<string> = { value: "old", readAt: 1000, problem: null };

test("a good answer replaces a feed's value and ends its problem", () => {
  const feed = feedAfter({ ...known, problem: problem({}) }, { ok: true, value: "new", outcome: null }, 3000);
  expect(feed).toEqual({ value: "new", readAt: 3000, problem: null });
});

test.each([null, 500, 503])("a failure (%p) keeps a feed's last value and when it was read", (status) => {
  expect(feedAfter(known, failed({ status }), 3000)).toEqual({ ...known, problem: problem({ status }) });
});

test.each([403, 404])("a refusal (%p) ends a feed's value", (status) => {
  expect(feedAfter(known, failed({ status }), 3000)).toEqual({ ...emptyFeed, problem: problem({ status }) });
});

test("a feed waits as long as the server asks, but not for ever, and not at all if the server does not ask", () => {
  const asking = (retryAfterMs: number | null): Feed<string> => ({ ...known, problem: problem({ retryAfterMs }) });
  expect(waitAskedFor(known, asking(null))).toBeUndefined();
  expect(waitAskedFor(asking(3000), known)).toBe(3000);
  expect(waitAskedFor(asking(0))).toBe(1000);
  expect(waitAskedFor(asking(3_600_000))).toBe(30_000);
});
