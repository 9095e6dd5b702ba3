import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test } from "@jest/globals";
import { SystemClock } from "./system-clock.js";
import { SystemContext } from "./system-context.js";

const storage = new AsyncLocalStorage<string>();

describe("a context", () => {
  test("a system context is the one in which it was made, for each caller; its caller is left in his own", async () => {
    const home = storage.run("maker", () => new SystemContext());
    await storage.run("caller", async () => {
      const seen = await home.run(async () => {
        const before = storage.getStore();
        await Promise.resolve();
        return [before, storage.getStore()];
      });
      expect(seen).toEqual(["maker", "maker"]);
      expect(storage.getStore()).toBe("caller");
    });
  });

  test("a system context meets nothing of what was entered in a fork of it, nor does another fork", async () => {
    const home = storage.run("maker", () => new SystemContext());
    const leave = (): Promise<void> => {
      storage.enterWith("left behind");
      return Promise.resolve();
    };
    await home.fork().run(leave);
    expect(home.run(() => storage.getStore())).toBe("maker");
    expect(home.fork().run(() => storage.getStore())).toBe("maker");
  });

  test("a system context goes back to its caller's when the work throws", () => {
    const home = new SystemContext();
    storage.run("caller", () => {
      const failing = (): never => home.run(() => expect(storage.getStore()).toBeUndefined()) as never;
      failing();
      expect(() =>
        home.run(() => {
          throw new Error("no");
        }),
      ).toThrow("no");
      expect(storage.getStore()).toBe("caller");
    });
  });
});

describe("the process's clock", () => {
  test("the process's clock calls back in its maker's context: timers, nested timers, work put off to the step's end or next turn", async () => {
    const clock = new SystemClock();
    const seen: (string | undefined)[] = [];
    const note = (done: () => void) => (): void => {
      seen.push(storage.getStore());
      done();
    };
    const keepAlive = setInterval(() => undefined, 1_000);
    await storage.run("request", () =>
      Promise.all([
        new Promise<void>((done) => clock.soon(note(done))),
        new Promise<void>((done) => clock.nextTurn(note(done))),
        new Promise<void>((done) =>
          clock.setTimer(
            1,
            note(() => void clock.setTimer(1, note(done))),
          ),
        ),
      ]),
    );
    clearInterval(keepAlive);
    expect(seen).toEqual([undefined, undefined, undefined, undefined]);
  });
});
