import { expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import type { Session, Statement } from "../connection/session.js";
import { boundedSession } from "./bounded-call.js";

const STATEMENT = { name: "any" } as Statement<null, number>;
const session: Session = { run: () => Promise.resolve([]) };

test("a call that has used the time of five statements sends no further one", async () => {
  const clock = new ManualClock();
  const bounded = boundedSession(session, { statementTimeoutMs: 100, clock });
  await clock.advance(500);
  await expect(bounded.run(STATEMENT, null)).resolves.toEqual([]);
  await clock.advance(1);
  await expect(bounded.run(STATEMENT, null)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
});

test("a call whose caller has gone sends no further statement", async () => {
  const caller = new AbortController();
  const bounded = boundedSession(session, { statementTimeoutMs: 100, signal: caller.signal });
  await expect(bounded.run(STATEMENT, null)).resolves.toEqual([]);
  caller.abort();
  await expect(bounded.run(STATEMENT, null)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
});
