import { beforeEach, expect, test } from "@jest/globals";
import { Health } from "@tickwheel/coordination";
import type { BreakerChange, BreakerStore } from "@tickwheel/core";
import { ManualClock, MemoryBreakerStore, MemoryDatabase, RecordingTelemetry } from "@tickwheel/testing";
import { HostRests } from "./host-rests.js";
import { OpenBreakers } from "./open-breakers.js";

let clock: ManualClock;
let database: MemoryDatabase;
let writes: BreakerChange[];
let announced: number;

beforeEach(() => {
  clock = new ManualClock();
  database = new MemoryDatabase({ clock });
  [writes, announced] = [[], 0];
});

const HOST = { namespace: "shop", host: "api.example" };

function restsOf(change?: BreakerStore["changeBreaker"]): { rests: HostRests; open: OpenBreakers } {
  const store = new MemoryBreakerStore(database.connect("a"));
  const health = new Health(clock, new RecordingTelemetry());
  const now = (): number => database.now();
  const dbClock = { earliestMs: now, nowMs: now, timeUntilDueMs: (due: number) => due - now() };
  const open = new OpenBreakers({ clock, health, dbClock, store, changed: () => undefined });
  const changeBreaker = (wanted: BreakerChange): ReturnType<BreakerStore["changeBreaker"]> => {
    writes.push(wanted);
    return (change ?? ((one: BreakerChange) => store.changeBreaker(one)))(wanted);
  };
  return {
    open,
    rests: new HostRests({ dbClock, health, store: { changeBreaker }, open, announce: () => void announced++ }),
  };
}

test("a host's rest holds on all nodes until it is over, for its namespace alone", async () => {
  const mine = restsOf();
  const other = restsOf();
  mine.rests.ask("shop", { host: "api.example", forMs: 5_000 });
  await clock.settle();
  await other.open.runOnce();
  expect([mine.rests.restMs(HOST), other.rests.restMs(HOST), announced]).toEqual([5_000, 5_000, 1]);
  expect(other.rests.restMs({ ...HOST, namespace: "other" })).toBe(0);
  await clock.advance(5_000);
  expect(other.rests.restMs(HOST)).toBe(0);
});

test("one of a hundred answers that ask for a host's rest is written, and then the last end; an hour is the most", async () => {
  const { rests } = restsOf();
  for (let forMs = 1_000; forMs < 101_000; forMs += 1_000) rests.ask("shop", { host: "api.example", forMs });
  await clock.settle();
  expect([writes.length, rests.restMs(HOST)]).toEqual([2, 100_000]);
  rests.ask("shop", { host: "api.example", forMs: 50_000 });
  rests.ask("shop", { host: "api.example", forMs: 86_400_000 });
  await clock.settle();
  expect([writes.length, rests.restMs(HOST)]).toEqual([3, 3_600_000]);
});

test("a host's rest that is not written is lost, and the next rest is written", async () => {
  const away = restsOf(() => Promise.reject(new Error("away")));
  away.rests.ask("shop", { host: "api.example", forMs: 1_000 });
  await clock.settle();
  const refused = restsOf(() => Promise.resolve({ changed: false, breaker: null }));
  refused.rests.ask("shop", { host: "api.example", forMs: 1_000 });
  await clock.settle();
  refused.rests.ask("shop", { host: "api.example", forMs: 1_000 });
  await clock.settle();
  expect([away.rests.restMs(HOST), refused.rests.restMs(HOST), writes.length]).toEqual([0, 0, 3]);
});
