import { beforeEach, expect, test } from "@jest/globals";
import { type PageSession, type SessionStore, TickwheelError } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { apiLimitsOf } from "../module/api-limits.js";
import { SessionRing } from "./session-ring.js";
import { hashSession, newSessionSecret } from "./session-secret.js";

const MINUTE_MS = 60_000;
const BELIEVED_MS = 5_000;
const AWAY = new TickwheelError("STORE_UNAVAILABLE", "away");

let clock: ManualClock;
let ring: SessionRing;
/** By hash, as the store has them. */
let sessions: Map<string, PageSession>;
let failure: Error | null;
let looks: number;
let uses: number;
let secret: string;

beforeEach(() => {
  clock = new ManualClock();
  secret = newSessionSecret();
  sessions = new Map([[hashSession(secret), { id: "1" } as PageSession]]);
  failure = null;
  looks = uses = 0;
  const store: Partial<SessionStore> = {
    findByHashes: async (hashes) => {
      looks++;
      if (failure) throw failure;
      return new Map([...sessions].filter(([hash]) => hashes.includes(hash)));
    },
    use: async () => {
      uses++;
      if (failure) throw failure;
    },
    end: async (hash) => void sessions.delete(hash),
  };
  ring = new SessionRing({ sessions: store as SessionStore }, apiLimitsOf({}).sessions, clock);
});

const reads = (): Promise<string> => outcome(ring.find(secret, true));
const writes = (): Promise<string> => outcome(ring.find(secret, false));
const outcome = (found: Promise<PageSession | null>): Promise<string> =>
  found.then(
    (session) => session?.id ?? "none",
    ({ message }: Error) => message,
  );

test("a session is looked up once in a few seconds, and its use is written once a minute", async () => {
  for (let second = 0; second < 180; second++) {
    expect(await reads()).toBe("1");
    await clock.advance(1_000);
  }
  expect([looks, uses]).toEqual([180 / 5, 3]);
});

test("while the store is away a session that was seen may read for ten minutes, and not write", async () => {
  expect(await reads()).toBe("1");
  failure = AWAY;
  await clock.advance(BELIEVED_MS);
  for (let minute = 0; minute < 9; minute++) {
    expect([await reads(), await writes()]).toEqual(["1", "away"]);
    await clock.advance(MINUTE_MS);
  }
  await clock.advance(MINUTE_MS);
  expect([await reads(), await writes()]).toEqual(["away", "away"]);
  failure = null;
  expect(await writes()).toBe("1");
});

test("a session that this node has not seen may not even read while the store is away", async () => {
  failure = AWAY;
  expect(await reads()).toBe("away");
});

test("readers wait for no other look-up of their session for a few seconds after one that failed", async () => {
  await reads();
  failure = AWAY;
  await clock.advance(BELIEVED_MS);
  for (let count = 0; count < 10; count++) expect(await reads()).toBe("1");
  expect(looks).toBe(2);
  await clock.advance(BELIEVED_MS);
  await reads();
  expect(looks).toBe(3);
});

test("an error that is no outage lets no session read from memory", async () => {
  await reads();
  failure = new TickwheelError("RATE_LIMITED", "too many");
  await clock.advance(BELIEVED_MS);
  expect(await reads()).toBe("too many");
});

test("a session that is over, on this node or elsewhere, is not taken for one that was seen", async () => {
  await reads();
  await ring.end(secret);
  failure = AWAY;
  expect(await reads()).toBe("away");
  failure = null;
  sessions.set(hashSession(secret), { id: "1" } as PageSession);
  await clock.advance(BELIEVED_MS);
  expect(await reads()).toBe("1");
  sessions.clear();
  await clock.advance(BELIEVED_MS);
  expect(await reads()).toBe("none");
  failure = AWAY;
  await clock.advance(BELIEVED_MS);
  expect(await reads()).toBe("away");
});

test("a look-up that was under way when its session was ended on this node is not believed", async () => {
  const before = reads();
  const ended = ring.end(secret);
  await Promise.all([before, ended]);
  expect(await reads()).toBe("none");
});
