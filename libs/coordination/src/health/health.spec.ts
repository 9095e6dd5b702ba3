import { describe, expect, test } from "@jest/globals";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { Health } from "./health.js";

function begin() {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  return { clock, telemetry, health: new Health(clock, telemetry) };
}

describe("a part of a node", () => {
  test("is degraded while any of its operations fails, since the first of them that still does", async () => {
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

  test("that fails repeatedly is reported once; the list has its newest reason", () => {
    const { telemetry, health } = begin();
    for (const reason of ["first", "second"])
      health.raise({ part: "engine.claim", error: new Error(reason), isTried: () => true });
    expect(health.list()).toMatchObject([{ part: "engine.claim", detail: "second" }]);
    for (let time = 0; time < 2; time++) health.clear("engine.claim");
    expect(telemetry.events.map(({ name }) => name)).toEqual(["engine.claim.degraded", "engine.claim.recovered"]);
  });

  test("is healthy again when the failed operation is not tried any more", () => {
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

  test("takes its failures along when it ends, and leaves those of other parts", async () => {
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
