import { describe, expect, test } from "@jest/globals";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { Conditions } from "./conditions.js";

function begin() {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  return { clock, telemetry, conditions: new Conditions(clock, telemetry) };
}

describe("a part of a node", () => {
  test("is degraded while any of its operations fails, since the first of them that still does", async () => {
    const { clock, telemetry, conditions } = begin();
    const fail = (): Promise<never> => Promise.reject(new Error("refused"));
    expect(await conditions.attempt("reading", fail)).toEqual({ ok: false });
    await clock.advance(1_000);
    await conditions.attempt("writing", fail);
    await clock.advance(500);
    expect(conditions.list()).toEqual([{ part: "postgres", forMs: 1_500, detail: "reading: refused" }]);
    expect(await conditions.attempt("reading", async () => 7)).toEqual({ ok: true, value: 7 });
    expect(conditions.list()).toEqual([{ part: "postgres", forMs: 500, detail: "writing: refused" }]);
    conditions.clear("postgres", "writing");
    expect(conditions.list()).toEqual([]);
    expect(telemetry.events).toMatchObject([
      { name: "cluster.postgres.degraded", message: "postgres does not work: reading: refused" },
      { name: "cluster.postgres.recovered", facts: { part: "postgres", lastedMs: 1_500 } },
    ]);
  });

  test("that fails again and again is told of once, with its newest reason in the list", () => {
    const { telemetry, conditions } = begin();
    for (const reason of ["first", "second"])
      conditions.raise({ part: "engine.claim", error: new Error(reason), isTried: () => true });
    expect(conditions.list()).toMatchObject([{ part: "engine.claim", detail: "second" }]);
    for (let time = 0; time < 2; time++) conditions.clear("engine.claim");
    expect(telemetry.events.map(({ name }) => name)).toEqual(["engine.claim.degraded", "engine.claim.recovered"]);
  });

  test("works no worse than before once nobody tries what has failed any more", () => {
    const { telemetry, conditions } = begin();
    let isTried = true;
    conditions.raise({ part: "engine.verify", error: new Error("away"), isTried: () => isTried });
    conditions.look();
    expect(conditions.list()).toMatchObject([{ part: "engine.verify", detail: "away" }]);
    isTried = false;
    conditions.look();
    expect(telemetry.events.map(({ message }) => message)).toEqual([
      "engine.verify does not work: away",
      "engine.verify is not needed any more after 0 ms",
    ]);
    expect(conditions.list()).toEqual([]);
  });

  test("that has ended takes its conditions along, and leaves those of the others", async () => {
    const { conditions } = begin();
    const fail = (): Promise<never> => Promise.reject(new Error("refused"));
    let isAlive = true;
    await conditions.within(() => isAlive).attempt("beating", fail);
    await conditions.attempt("reading", fail);
    expect(conditions.list()).toMatchObject([{ detail: "beating: refused" }]);
    isAlive = false;
    expect(conditions.list()).toMatchObject([{ detail: "reading: refused" }]);
  });
});
