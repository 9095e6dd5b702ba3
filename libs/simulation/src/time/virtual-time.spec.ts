import { describe, expect, test } from "@jest/globals";
import { type Clock, wait } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { TraceHash } from "./trace-hash.js";
import { VirtualTime } from "./virtual-time.js";

/** Three nodes whose timers often share an instant: what they did, and the hash of it. */
async function runOf(seed: number): Promise<{ did: string[]; digest: string }> {
  const trace = new TraceHash();
  const time = new VirtualTime({ random: new SeededRandom(seed), trace });
  const did: string[] = [];
  const live = async (name: string, clock: Clock): Promise<void> => {
    for (let step = 0; step < 20; step++) {
      await wait(clock, 10);
      did.push(`${name}${step}`);
      clock.setTimer(10, () => did.push(`${name}${step}'`));
    }
  };
  for (const name of ["a", "b", "c"]) void live(name, time.node());
  await time.advance(1_000);
  return { did, digest: trace.digest() };
}

describe("VirtualTime", () => {
  test("VirtualTime fires timers of one instant in an order drawn from its seed", async () => {
    const first = await runOf(1);
    const again = await runOf(1);
    const other = await runOf(2);
    expect(again).toEqual(first);
    expect(other.did).not.toEqual(first.did);
    expect(other.did.toSorted()).toEqual(first.did.toSorted());
    expect(other.digest).not.toBe(first.digest);
  });

  test("every order of three timers of one instant comes up", async () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 60; seed++) {
      const time = new VirtualTime({ random: new SeededRandom(seed) });
      let order = "";
      for (const name of ["a", "b", "c"]) time.node().setTimer(5, () => (order += name));
      await time.advance(5);
      orders.add(order);
    }
    expect(orders.size).toBe(6);
  });

  test("a timer of VirtualTime fires only when all promise chains and ticks have ended, however long they are", async () => {
    const time = new VirtualTime({ random: new SeededRandom(3) });
    let open = 0;
    const chain = async (hops: number): Promise<void> => {
      expect(open).toBe(0);
      open++;
      for (let hop = 0; hop < hops; hop++) {
        await (hop % 10 === 0 ? new Promise<void>((resolve) => process.nextTick(resolve)) : Promise.resolve());
      }
      open--;
    };
    for (let count = 0; count < 300; count++) time.setTimer(count % 7, () => void chain(count));
    await time.advance(10);
    expect([open, time.pendingTimers]).toEqual([0, 0]);
  });

  test("a timer that throws fails the call that advances virtual time, which can go on", async () => {
    const time = new VirtualTime({ random: new SeededRandom(1) });
    time.setTimer(1, () => {
      throw new Error("a broken model");
    });
    time.setTimer(2, () => undefined);
    await expect(time.advance(5)).rejects.toThrow("a broken model");
    await time.advance(5);
    expect(time.pendingTimers).toBe(0);
  });

  test("a node whose timers re-arm themselves for ever at one instant is found", async () => {
    const time = new VirtualTime({ random: new SeededRandom(1) });
    const clock = time.node({ rate: 1.001 });
    const again = (): void => void clock.setTimer(0, again);
    again();
    await expect(time.advance(1)).rejects.toThrow("for ever");
  });
});
