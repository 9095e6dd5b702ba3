import { describe, expect, test } from "@jest/globals";
import { FallbackCoordination } from "@tickwheel/coordination";
import type { ClusterMessage } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { SimulatedNotify } from "./simulated-notify.js";
import { SimulatedRedis } from "../redis/simulated-redis.js";
import { VirtualTime } from "../time/virtual-time.js";

const VIEW: ClusterMessage = { kind: "view", number: 4 };

async function stage() {
  const time = new VirtualTime({ random: new SeededRandom(1) });
  const notify = new SimulatedNotify({ time });
  const clock = time.node();
  const link = notify.newLink();
  const commits: (() => void)[] = [];
  const statement = (committed: () => void): Promise<void> =>
    new Promise((resolve) => {
      commits.push(() => {
        committed();
        clock.deliver(resolve);
      });
    });
  const coordination = notify.attach(clock, { link, statement });
  const heard: unknown[] = [];
  await coordination.subscribe("1", (message) => heard.push(message));
  const started = coordination.start();
  await time.advance(100);
  await started;
  return { time, notify, clock, link, coordination, heard, commits };
}

describe("simulated notifications", () => {
  test("simulated notifications are delivered when the statement's transaction commits, not before", async () => {
    const { time, coordination, heard, commits } = await stage();
    let sent: boolean | null = null;
    void coordination.send("1", VIEW).then((value) => (sent = value));
    await time.advance(100);
    expect([sent, heard, commits.length]).toEqual([null, [], 1]);
    commits[0]!();
    await time.advance(10);
    expect([sent, heard]).toEqual([true, [VIEW]]);
  });

  test("simulated notifications count as not sent when the statement takes too long, though they may still arrive", async () => {
    const { time, coordination, heard, commits } = await stage();
    let sent: boolean | null = null;
    void coordination.send("1", VIEW).then((value) => (sent = value));
    await time.advance(250);
    expect(sent).toBe(false);
    commits[0]!();
    await time.advance(10);
    expect(heard).toEqual([VIEW]);
  });

  test("simulated notifications are lost to a listener that is not connected, which then looks for itself", async () => {
    const { time, notify, coordination, heard } = await stage();
    notify.breakSessions();
    notify.commit({ to: "all", message: VIEW });
    await time.advance(100);
    expect([heard, coordination.health().available]).toEqual([[], false]);
    await time.advance(600);
    expect([heard, coordination.health().available]).toEqual([[{ kind: "load" }], true]);
  });

  test("a listener to notifications that is cut off without a word notices it by asking", async () => {
    const { time, notify, link, coordination, heard } = await stage();
    link.cut();
    notify.commit({ to: "all", message: VIEW });
    await time.advance(4_000);
    expect(coordination.health().available).toBe(true);
    await time.advance(4_000);
    expect(coordination.health().available).toBe(false);
    link.heal();
    await time.advance(3_000);
    expect([heard, coordination.health().available]).toEqual([[{ kind: "load" }], true]);
  });

  test("simulated notifications of a database that is away are not sent, and the listener comes back with the database", async () => {
    const { time, notify, clock, link, coordination, heard } = await stage();
    const over = notify.attach(clock, { link });
    notify.stop();
    let sent: boolean | null = null;
    void over.send("all", VIEW).then((value) => (sent = value));
    await time.advance(1_000);
    expect([sent, coordination.health().detail]).toEqual([false, "the listening connection is broken (ECONNREFUSED)"]);
    notify.start();
    await time.advance(1_000);
    expect(heard).toEqual([{ kind: "load" }]);
    const stopped = coordination.stop();
    await time.advance(10);
    await stopped;
    expect([coordination.health().detail, time.pendingTimers]).toEqual(["stopped", 0]);
  });

  test("simulated notifications reach a node that was paused when it goes on", async () => {
    const { time, notify, clock, heard } = await stage();
    clock.pause();
    notify.commit({ to: "1", message: VIEW });
    await time.advance(1_000);
    expect(heard).toEqual([]);
    clock.resume();
    await time.advance(1);
    expect(heard).toEqual([VIEW]);
  });

  test("simulated notifications carry what a stopped Redis cannot, in a node made as production makes it", async () => {
    const time = new VirtualTime({ random: new SeededRandom(1) });
    const redis = new SimulatedRedis({ time });
    const notify = new SimulatedNotify({ time });
    const heard: string[] = [];
    const join = (bootId: string): FallbackCoordination => {
      const clock = time.node();
      const node = new FallbackCoordination(
        redis.attach(clock, redis.newLink()),
        notify.attach(clock, { link: notify.newLink() }),
      );
      void node.start();
      void node.subscribe(bootId, () => heard.push(bootId));
      return node;
    };
    const one = join("1");
    const two = join("2");
    await time.advance(100);
    void one.send("2", VIEW);
    await time.advance(100);
    expect(heard).toEqual(["2"]);
    redis.stop();
    await time.advance(100);
    void one.send("all", VIEW);
    await time.advance(100);
    expect([heard.slice(1).toSorted(), two.health().available]).toEqual([["1", "2"], false]);
  });
});
