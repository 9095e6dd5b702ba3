import { describe, expect, test } from "@jest/globals";
import { FIRST_VITALS, type ClusterMessage, type NodeAnnouncement } from "@tickwheel/core";
import { ManualClock } from "../system/manual-clock.js";
import { MemoryBus } from "./memory-coordination.js";

const LOAD: ClusterMessage = { kind: "load" };

function announcement(bootId: string): NodeAnnouncement {
  return { bootId, label: `host:${bootId}`, beat: 4, vitals: FIRST_VITALS, ownedSlots: new Uint8Array(512) };
}

async function twoNodes(kind: "redis" | "postgres" = "redis") {
  const clock = new ManualClock();
  const bus = new MemoryBus({ clock, kind });
  const one = bus.attach();
  const two = bus.attach();
  const received: [string, unknown][] = [];
  await one.subscribe("1", (message) => received.push(["1", message]));
  await two.subscribe("2", (message) => received.push(["2", message]));
  return { clock, bus, one, two, received };
}

describe("MemoryCoordination", () => {
  test("a message reaches the node it is sent to, or all, after the sender's own step", async () => {
    const { clock, one, received } = await twoNodes();
    expect(await one.send("2", LOAD)).toBe(true);
    await clock.settle();
    expect(received).toEqual([["2", LOAD]]);
    expect(await one.send("all", { kind: "view", number: 2 })).toBe(true);
    await clock.settle();
    expect(received.slice(1).map(([bootId]) => bootId)).toEqual(["1", "2"]);
  });

  test("the sender learns that a message reached nobody, but not that a message was lost", async () => {
    const { clock, bus, one, two, received } = await twoNodes();
    expect(await one.send("3", LOAD)).toBe(false);
    bus.lose = ({ to }) => to === "2";
    expect(await one.send("2", LOAD)).toBe(true);
    await two.stop();
    expect(await one.send("2", LOAD)).toBe(false);
    await clock.settle();
    expect(received).toEqual([]);
  });

  test("announcements are read as beats until they expire or are withdrawn", async () => {
    const { clock, one, two, bus } = await twoNodes();
    await one.announce(announcement("1"));
    await clock.advance(2_999);
    expect(await two.readBeats()).toMatchObject([{ bootId: "1", label: "host:1", beat: 4 }]);
    expect([...bus.announced().keys()]).toEqual(["host:1"]);
    await clock.advance(1);
    expect(await two.readBeats()).toEqual([]);
    await one.announce(announcement("1"));
    await one.withdraw("host:1");
    expect(await two.readBeats()).toEqual([]);
  });

  test("the election's lock has one holder until it expires or is given back", async () => {
    const { clock, one, two } = await twoNodes();
    expect(await one.campaign("1", 3_000)).toBe("held");
    expect(await two.campaign("2", 3_000)).toBe("refused");
    await clock.advance(2_000);
    expect(await one.campaign("1", 3_000)).toBe("held");
    await clock.advance(2_999);
    expect(await two.campaign("2", 3_000)).toBe("refused");
    await clock.advance(1);
    expect(await two.campaign("2", 3_000)).toBe("held");
    await two.yieldLeadership();
    expect(await one.campaign("1", 3_000)).toBe("held");
  });

  test("an unavailable medium sends nothing, gives no beats and no lock, and says why", async () => {
    const { clock, bus, one, two, received } = await twoNodes();
    await one.announce(announcement("1"));
    bus.setAvailable(false, "stopped");
    expect(one.health()).toEqual({ available: false, detail: "stopped" });
    expect(await one.send("2", LOAD)).toBe(false);
    expect(await two.readBeats()).toBeNull();
    expect(await one.campaign("1", 3_000)).toBe("unavailable");
    bus.setAvailable(true);
    expect(one.health().available).toBe(true);
    bus.flush();
    expect(await two.readBeats()).toEqual([]);
    await clock.settle();
    expect(received).toEqual([]);
  });

  test("a node that is cut off neither sends nor receives, while other nodes do", async () => {
    const { clock, one, two, received } = await twoNodes();
    two.setAvailable(false);
    expect(await two.send("1", LOAD)).toBe(false);
    expect(await one.send("all", LOAD)).toBe(true);
    await clock.settle();
    expect(received).toEqual([["1", LOAD]]);
  });

  test("MemoryCoordination as `postgres` carries messages and has neither beats nor a lock", async () => {
    const { one } = await twoNodes("postgres");
    await one.announce(announcement("1"));
    expect(await one.send("2", LOAD)).toBe(true);
    expect(await one.readBeats()).toBeNull();
    expect(await one.campaign("1", 3_000)).toBe("unavailable");
  });
});
