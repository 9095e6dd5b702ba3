import { describe, expect, test } from "@jest/globals";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { TickwheelError } from "@tickwheel/core";
import { Health } from "./health.js";
import { HELD_MS } from "./telling.js";

function begin() {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  return { clock, telemetry, health: new Health(clock, telemetry) };
}

describe("a part of a node", () => {
  test("a part of a node is degraded while any of its operations fails, since the first of them that still does", async () => {
    const { clock, telemetry, health } = begin();
    const fail = (): Promise<never> => Promise.reject(new Error("refused"));
    expect(await health.attempt("reading", fail)).toEqual({ ok: false });
    await clock.advance(1_000);
    await health.attempt("writing", fail);
    await clock.advance(500);
    expect(health.list()).toEqual([{ part: "postgres", forMs: 1_500, detail: "reading: refused" }]);
    expect(await health.attempt("reading", async () => 7)).toEqual({ ok: true, value: 7 });
    expect(health.list()).toEqual([{ part: "postgres", forMs: 500, detail: "writing: refused" }]);
    health.clear("postgres", "writing");
    expect(health.list()).toEqual([]);
    expect(telemetry.events).toMatchObject([
      { name: "cluster.postgres.degraded", message: "postgres does not work: reading: refused" },
      { name: "cluster.postgres.recovered", facts: { part: "postgres", lastedMs: 1_500 } },
    ]);
  });

  test("a part of a node that fails repeatedly is reported once; the list has its newest reason", () => {
    const { telemetry, health } = begin();
    for (const reason of ["first", "second"])
      health.raise({ part: "engine.claim", error: new Error(reason), isTried: () => true });
    expect(health.list()).toMatchObject([{ part: "engine.claim", detail: "second" }]);
    for (let time = 0; time < 2; time++) health.clear("engine.claim");
    expect(telemetry.events.map(({ name }) => name)).toEqual(["engine.claim.degraded", "engine.claim.recovered"]);
  });

  test("a part of a node is healthy again when the failed operation is not tried any more", () => {
    const { telemetry, health } = begin();
    let isTried = true;
    health.raise({ part: "engine.verify", error: new Error("away"), isTried: () => isTried });
    health.look();
    expect(health.list()).toMatchObject([{ part: "engine.verify", detail: "away" }]);
    isTried = false;
    health.look();
    expect(telemetry.events.map(({ message }) => message)).toEqual([
      "engine.verify does not work: away",
      "engine.verify is not needed any more after 0 ms",
    ]);
    expect(health.list()).toEqual([]);
  });

  test("a part of a node takes its failures along when it ends, and leaves those of other parts", async () => {
    const { health } = begin();
    const fail = (): Promise<never> => Promise.reject(new Error("refused"));
    let isAlive = true;
    await health.within(() => isAlive).attempt("beating", fail);
    await health.attempt("reading", fail);
    expect(health.list()).toMatchObject([{ detail: "beating: refused" }]);
    isAlive = false;
    expect(health.list()).toMatchObject([{ detail: "reading: refused" }]);
  });
});

describe("while Postgres is away", () => {
  const error = new TickwheelError("STORE_UNAVAILABLE", "no reply");

  function outage() {
    const begun = begin();
    const { health, telemetry } = begun;
    const fail = (part: "engine.claim" | "engine.sweep"): void => health.raise({ part, error, isTried: () => true });
    const lose = (): void => health.raise({ part: "postgres", operation: "reading", error, isTried: () => true });
    const told = (): string[] => telemetry.events.splice(0).map(({ level, name }) => `${level} ${name}`);
    return { ...begun, fail, lose, told };
  }

  test("an outage of Postgres is told once, whichever part notices it first; the rest are events that no log needs", async () => {
    const { clock, health, fail, lose, told } = outage();
    fail("engine.claim");
    expect([health.list(), told()]).toEqual([[expect.objectContaining({ part: "engine.claim" })], []]);
    await clock.advance(200);
    lose();
    fail("engine.sweep");
    expect(told()).toEqual([
      "warn cluster.postgres.degraded",
      "debug engine.claim.degraded",
      "debug engine.sweep.degraded",
    ]);
    for (let time = 0; time < 10; time++) {
      await clock.advance(HELD_MS);
      fail("engine.claim");
    }
    expect(told()).toEqual([]);
    health.clear("postgres", "reading");
    fail("engine.claim");
    for (const part of ["engine.claim", "engine.sweep"] as const) health.clear(part);
    expect(told()).toEqual([
      "info cluster.postgres.recovered",
      "debug engine.claim.recovered",
      "debug engine.sweep.recovered",
    ]);
  });

  test("an operation that fails on when Postgres is back is told then", async () => {
    const { clock, health, fail, lose, told } = outage();
    lose();
    fail("engine.claim");
    health.clear("postgres", "reading");
    told();
    await clock.advance(HELD_MS);
    fail("engine.claim");
    health.clear("engine.claim");
    expect(told()).toEqual(["warn engine.claim.degraded", "info engine.claim.recovered"]);
  });

  test("late beats that go on when Postgres is back are told then, though nobody reports them again", async () => {
    const { clock, health, lose, told } = outage();
    lose();
    health.raise({ part: "heartbeat", detail: "no good beat", isTried: () => true });
    health.clear("postgres", "reading");
    health.look();
    expect(told()).toEqual([
      "warn cluster.postgres.degraded",
      "debug cluster.heartbeat.degraded",
      "info cluster.postgres.recovered",
    ]);
    await clock.advance(HELD_MS);
    for (let time = 0; time < 3; time++) health.look();
    expect(told()).toEqual(["warn cluster.heartbeat.degraded"]);
  });

  test("a failure of one loop alone is told if it lasts, and is quiet if it does not", async () => {
    const { clock, health, fail, told } = outage();
    fail("engine.claim");
    health.clear("engine.claim");
    expect(told()).toEqual(["debug engine.claim.degraded", "debug engine.claim.recovered"]);
    fail("engine.sweep");
    await clock.advance(HELD_MS - 1);
    fail("engine.sweep");
    expect(told()).toEqual([]);
    await clock.advance(1);
    fail("engine.sweep");
    fail("engine.sweep");
    health.clear("engine.sweep");
    expect(told()).toEqual(["warn engine.sweep.degraded", "info engine.sweep.recovered"]);
  });
});
