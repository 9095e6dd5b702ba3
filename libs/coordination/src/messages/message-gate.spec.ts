import { describe, expect, test } from "@jest/globals";
import type { ClusterMessage } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { Health } from "../health/health.js";
import { MessageGate } from "./message-gate.js";

function gateOf({ isBroken = false } = {}) {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const health = new Health(clock, telemetry);
  const taken: ClusterMessage[] = [];
  const news: number[] = [];
  const gate = new MessageGate(clock, health, {
    view: () => 2,
    newView: () => news.push(clock.monotonicMs()),
    received: (message) => {
      if (message.kind === "load" && isBroken) throw new Error("a bug of ours");
      taken.push(message);
    },
  });
  const pass = (arrived: unknown): void => gate.pass(arrived);
  const told = (): string[] => telemetry.events.map(({ name }) => name);
  return { clock, health, gate, taken, news, pass, told };
}

describe("the gate of a node", () => {
  test("the message gate of a node lets messages through without a report", () => {
    const { gate, taken, pass, told } = gateOf();
    pass({ kind: "load" });
    pass({ kind: "view", number: 3 });
    expect([taken, gate.refused, told()]).toEqual([[{ kind: "load" }, { kind: "view", number: 3 }], 0, []]);
  });

  test("the message gate counts invalid messages, however many, and reports once when they begin and once when they are over", async () => {
    const { clock, health, gate, taken, pass, told } = gateOf();
    for (let count = 0; count < 10_000; count++) pass(count % 2 === 0 ? null : { kind: "hints" });
    expect([taken, gate.refused, told()]).toEqual([[], 10_000, ["cluster.messages.degraded"]]);
    await clock.advance(10_000);
    expect(health.list()).toMatchObject([{ part: "messages", detail: expect.stringMatching(/^10000 messages/) }]);
    pass("again");
    await clock.advance(10_000);
    expect(health.list()).toMatchObject([{ detail: expect.stringMatching(/^10001 messages/) }]);
    await clock.advance(10_000);
    expect(health.list()).toEqual([]);
    expect(told()).toEqual(["cluster.messages.degraded", "cluster.messages.recovered"]);
    expect(clock.pendingTimers).toBe(0);
  });

  test("the message gate keeps a listener's errors from the medium", () => {
    const { gate, pass, told } = gateOf({ isBroken: true });
    expect(() => pass({ kind: "load" })).not.toThrow();
    expect([gate.refused, told()]).toEqual([1, ["cluster.messages.degraded"]]);
  });

  test("the message gate makes its node read a newer view that a message announces, at most ten times a second", async () => {
    const { clock, news, pass } = gateOf();
    pass({ kind: "view", number: 2 });
    expect(news).toEqual([]);
    for (let count = 0; count < 1_000; count++) pass({ kind: "view", number: Number.MAX_SAFE_INTEGER });
    await clock.advance(1_000);
    expect(news).toEqual([0, 100]);
  });

  test("the message gate leaves neither a timer nor a condition when it is stopped", () => {
    const { clock, health, gate, pass } = gateOf();
    pass(undefined);
    gate.stop();
    expect([clock.pendingTimers, health.list()]).toEqual([0, []]);
  });
});
