import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { ConnectionShare } from "./connection-share.js";

const PATIENCE_MS = 2_000;

function scene() {
  const clock = new ManualClock();
  const share = new ConnectionShare({ connections: 2, patienceMs: PATIENCE_MS }, clock);
  const running = new Map<string, () => void>();
  /** Names of long work are in capitals; the first letter is the namespace. */
  const begin = (name: string): Promise<string> =>
    share.run(() => new Promise((resolve) => running.set(name, () => resolve(name))), {
      namespace: name[0]!.toLowerCase(),
      isLong: name !== name.toLowerCase(),
    });
  const names = (): string[] => [...running.keys()];
  const end = async (name: string): Promise<void> => {
    running.get(name)!();
    running.delete(name);
    await clock.advance(0);
  };
  return { clock, share, begin, names, end };
}

describe("a share of a pool's connections", () => {
  test("a share of a pool's connections lets its number of callers work at once, the others in the order of their arrival", async () => {
    const { begin, names, end } = scene();
    const works = ["a", "b", "c", "d"].map(begin);
    expect(names()).toEqual(["a", "b"]);
    await end("b");
    expect(names()).toEqual(["a", "c"]);
    await end("a");
    await end("c");
    await end("d");
    expect(await Promise.all(works)).toEqual(["a", "b", "c", "d"]);
  });

  test("a share of a pool's connections refuses a caller who has waited too long, and goes on with the next", async () => {
    const { clock, begin, names, end } = scene();
    for (const name of ["a", "b"]) void begin(name);
    const impatient = begin("c").catch((error: unknown) => error);
    await clock.advance(PATIENCE_MS - 1);
    void begin("d");
    await clock.advance(1);
    expect(await impatient).toMatchObject({ code: "STORE_UNAVAILABLE" });
    await end("a");
    expect(names()).toEqual(["b", "d"]);
  });

  test("a share of a pool's connections serves one namespace after the other, and each in the order of its callers", async () => {
    const { begin, names, end } = scene();
    for (const name of ["a1", "a2", "a3", "a4", "b1", "c1"]) void begin(name);
    const served: string[] = [];
    for (let count = 0; count < 4; count++) {
      served.push(names()[0]!);
      await end(names()[0]!);
    }
    expect([served, names()]).toEqual([
      ["a1", "a2", "a3", "b1"],
      ["c1", "a4"],
    ]);
  });

  test("long work leaves a connection of a pool's share to the rest, and takes turns with it", async () => {
    const { begin, names, end } = scene();
    for (const name of ["A1", "A2", "B1", "a1", "c1", "c2"]) void begin(name);
    expect(names()).toEqual(["A1", "a1"]);
    await end("A1");
    expect(names()).toEqual(["a1", "c1"]);
    await end("c1");
    expect(names()).toEqual(["a1", "A2"]);
    await end("a1");
    expect(names()).toEqual(["A2", "c2"]);
    await end("A2");
    expect(names()).toEqual(["c2", "B1"]);
  });

  test("a share of a pool's connections frees its place after failed work, and leaves no timer behind", async () => {
    const { clock, share, begin, names, end } = scene();
    for (const name of ["a", "b"]) void begin(name);
    const failing = share.run(() => Promise.reject(new Error("no"))).catch((error: Error) => error.message);
    await end("a");
    expect(await failing).toBe("no");
    void begin("c");
    expect(names()).toEqual(["b", "c"]);
    expect(clock.pendingTimers).toBe(0);
  });
});
