import { describe, expect, test } from "@jest/globals";
import type { ClusterMessage } from "@tickwheel/core";
import { ManualClock, MemoryBus } from "@tickwheel/testing";
import { FallbackCoordination } from "./fallback-coordination.js";

function buses(): { redis: MemoryBus; notify: MemoryBus; attach: () => FallbackCoordination } {
  const clock = new ManualClock();
  const redis = new MemoryBus({ clock });
  const notify = new MemoryBus({ clock, kind: "postgres" });
  return { redis, notify, attach: () => new FallbackCoordination(redis.attach(), notify.attach()) };
}

const MESSAGE: ClusterMessage = { kind: "view", number: 4 };

describe("Redis with NOTIFY behind it", () => {
  test("a message that Redis delivers is sent once", async () => {
    const { attach } = buses();
    const one = attach();
    const two = attach();
    const heard: unknown[] = [];
    await two.subscribe("2", (message) => heard.push(message));
    expect(await one.send("2", MESSAGE)).toBe(true);
    expect(heard).toEqual([MESSAGE]);
  });

  test("a message that reaches no node by Redis goes by NOTIFY", async () => {
    const { redis, notify, attach } = buses();
    const one = attach();
    const two = attach();
    const heard: unknown[] = [];
    await two.subscribe("2", (message) => heard.push(message));
    redis.setAvailable(false);
    expect(await one.send("2", MESSAGE)).toBe(true);
    expect(heard).toEqual([MESSAGE]);
    notify.setAvailable(false);
    expect(await one.send("2", MESSAGE)).toBe(false);
  });

  test("beats, lock and health are those of Redis with NOTIFY behind it", async () => {
    const { redis, attach } = buses();
    const one = attach();
    expect([one.kind, one.health().available]).toEqual(["redis", true]);
    expect(await one.readBeats()).toEqual([]);
    expect(await one.campaign("1", 3_000)).toBe("held");
    redis.setAvailable(false, "connection refused");
    expect(one.health()).toEqual({ available: false, detail: "connection refused" });
    expect(await one.readBeats()).toBeNull();
    expect(await one.campaign("1", 3_000)).toBe("unavailable");
  });
});
