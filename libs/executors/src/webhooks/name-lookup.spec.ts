import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { LookupAddress } from "node:dns";
import { setMaxListeners } from "node:events";
import { SystemClock } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { LoopbackNameServer, type NameAnswer } from "../../test-support/loopback-name-server.js";
import { type Inquiry, LOOKUP_PLACES, NameLookup } from "./name-lookup.js";
import type { Resolve } from "./name-sources.js";

const V4 = "192.0.2.7";
const V6 = "2001:db8:0:0:0:0:0:7";
const FOUND: LookupAddress[] = [{ address: V4, family: 4 }];

let clock: ManualClock;
let server: LoopbackNameServer;
let names: NameLookup;

beforeEach(async () => {
  clock = new ManualClock();
  server = await LoopbackNameServer.start((name) => (name.startsWith("silent") ? "silence" : [V4]));
  names = new NameLookup(clock, { nameServers: [server.address] });
});

afterEach(async () => {
  names.close();
  await server.stop();
});

function ask(name: string, inquiry: Partial<Inquiry> = {}, lookup = names): Promise<LookupAddress[]> {
  const { signal } = new AbortController();
  return lookup.addressesOf({ name, isListed: false, namespace: "default", signal, ...inquiry });
}

/** Why a name could not be looked up. */
function failureOf(...args: Parameters<typeof ask>): Promise<string> {
  return ask(...args).then(
    () => "it was looked up",
    (error: Error) => error.message,
  );
}

/** Resolves when the server has been asked for so many names. */
async function askedFor(count: number): Promise<void> {
  while (server.asked.length < count) await new Promise((resolve) => setImmediate(resolve));
}

/** Names that never get an answer, asked for one namespace: more of them than it has places. */
function silentNames(namespace: string, count: number, signal: AbortSignal): Promise<string>[] {
  return Array.from({ length: count }, (_, index) =>
    failureOf(`silent-${namespace}-${index}.example`, { namespace, signal }),
  );
}

describe("NameLookup", () => {
  test("a host's name stands for its addresses of both families", async () => {
    server.answerTo = () => [V4, V6];
    await expect(ask("hook.example")).resolves.toEqual([
      { address: V4, family: 4 },
      { address: "2001:db8::7", family: 6 },
    ]);
  });

  test("a caller that asks for a name that is being looked up shares that look-up", async () => {
    await Promise.all(Array.from({ length: 100 }, (_, index) => ask("hook.example", { namespace: `n${index}` })));
    expect(server.asked).toEqual(["hook.example"]);
  });

  test.each([
    ["as long as it says", 7, 7_000],
    ["for a second at least", 0, 1_000],
    ["for a minute at most", 86_400, 60_000],
  ])("an answer of a name look-up is remembered %s", async (_, ttlSeconds, rememberMs) => {
    server.ttlSeconds = ttlSeconds;
    await ask("hook.example");
    await clock.advance(rememberMs - 1);
    await ask("hook.example");
    expect(server.asked).toHaveLength(1);
    await clock.advance(1);
    await ask("hook.example");
    expect(server.asked).toHaveLength(2);
  });

  test.each<[NameAnswer, string]>([
    ["no such name", "there is no such name"],
    [[], "it has no address"],
    ["failure", "the name server failed"],
    ["refusal", "the name server refused"],
  ])(
    "an answer of %p to a name look-up is told as what it is, and remembered for five seconds",
    async (answer, reason) => {
      server.answerTo = () => answer;
      const look = (): Promise<unknown> => ask("hook.example");
      await expect(look()).rejects.toThrow(`hook.example could not be looked up: ${reason}`);
      const asked = server.asked.length;
      await clock.advance(4_999);
      await expect(look()).rejects.toThrow(reason);
      expect(server.asked).toHaveLength(asked);
      server.answerTo = () => [V4];
      await clock.advance(1);
      await expect(look()).resolves.toEqual(FOUND);
    },
  );

  test("the look-up of a name that nobody answers for fails after two seconds", async () => {
    const failure = failureOf("silent.example");
    await askedFor(1);
    await clock.advance(2_000);
    expect(await failure).toBe("silent.example could not be looked up: no answer in 2 s");
  });

  test("the look-up of a name that nobody answers for ends by a real clock, too", async () => {
    const lookup = new NameLookup(new SystemClock(), { nameServers: [server.address] });
    await expect(ask("silent.example", {}, lookup)).rejects.toThrow("no answer in 2 s");
  });

  test("a name server that never answers for IPv6 holds nobody up for long", async () => {
    server.answerTo = (_name, family) => (family === 6 ? "silence" : [V4]);
    const found = ask("hook.example");
    await askedFor(1);
    let isFound = false;
    void found.then(() => (isFound = true));
    while (!isFound) {
      await clock.advance(50);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect(found).resolves.toEqual(FOUND);
  });

  test("a caller that stops waiting leaves the name look-up to the others; the last caller cancels it", async () => {
    server.answerTo = () => "silence";
    const first = new AbortController();
    const second = new AbortController();
    const failures = [first, second].map(({ signal }) => failureOf("hook.example", { signal }));
    await askedFor(1);
    first.abort(new Error("gone"));
    expect(await failures[0]).toBe("gone");
    expect(clock.pendingTimers).toBe(1);
    second.abort(new Error("gone"));
    expect(await failures[1]).toBe("gone");
    server.answerTo = () => [V4];
    await expect(ask("hook.example")).resolves.toEqual(FOUND);
    await clock.settle();
    expect(clock.pendingTimers).toBe(0);
  });

  test("a name look-up that was given up before it began asks nothing", async () => {
    await expect(ask("hook.example", { signal: AbortSignal.abort(new Error("gone")) })).rejects.toThrow("gone");
    expect(server.asked).toEqual([]);
  });

  test("a thousand names are remembered, and beyond that the name is forgotten that was not asked for longest", async () => {
    names.close();
    const asked: string[] = [];
    const resolve: Resolve = (name, _options, callback) => {
      asked.push(name);
      callback(null, FOUND);
    };
    names = new NameLookup(clock, { resolve });
    const look = (index: number): Promise<unknown> => ask(`n${index}`, { isListed: true });
    for (let index = 0; index < 1_000; index++) await look(index);
    await look(0);
    await look(1_000);
    await look(0);
    expect(asked).toHaveLength(1_001);
    await look(1);
    expect(asked.at(-1)).toBe("n1");
  });

  describe("beside a namespace with hundreds of names that nobody answers for", () => {
    let loud: AbortController;
    beforeEach(() => {
      loud = new AbortController();
      setMaxListeners(0, loud.signal);
    });
    afterEach(() => loud.abort());

    test("names of another namespace are looked up at once beside hundreds of names that nobody answers for", async () => {
      void silentNames("loud", 300, loud.signal);
      await expect(ask("hook.example", { namespace: "quiet" })).resolves.toEqual(FOUND);
      expect(new Set(server.asked.filter((name) => name.startsWith("silent"))).size).toBe(LOOKUP_PLACES.perNamespace);
    });

    test("further names of a namespace with hundreds wait, their callers learn of it, and they have their turn when others end", async () => {
      void silentNames("loud", 300, loud.signal);
      const waits: boolean[] = [];
      const mine = new AbortController();
      const onWait = (isWaiting: boolean): void => void waits.push(isWaiting);
      const found = ask("hook.example", { namespace: "loud", signal: mine.signal, onWait });
      expect(waits).toEqual([true]);
      loud.abort(new Error("gone"));
      await expect(found).resolves.toEqual(FOUND);
      expect(waits).toEqual([true, false]);
      expect(new Set(server.asked.filter((name) => name.startsWith("silent"))).size).toBe(LOOKUP_PLACES.perNamespace);
    });

    test("a name that one namespace waits for is looked up at once where another namespace wants it, too", async () => {
      void silentNames("loud", 300, loud.signal);
      const both = ["loud", "quiet"].map((namespace) => ask("hook.example", { namespace }));
      await expect(Promise.all(both)).resolves.toEqual([FOUND, FOUND]);
    });

    test("where all places for name look-ups are taken, the next place goes to the namespace that has the fewest", async () => {
      const loudOnes = Array.from({ length: LOOKUP_PLACES.all / LOOKUP_PLACES.perNamespace }, (_, index) => {
        const own = new AbortController();
        setMaxListeners(0, own.signal);
        void silentNames(`loud${index}`, 300, index === 0 ? own.signal : loud.signal);
        return own;
      });
      const waits: boolean[] = [];
      const onWait = (isWaiting: boolean): void => void waits.push(isWaiting);
      const found = ask("hook.example", { namespace: "quiet", onWait });
      expect(waits).toEqual([true]);
      loudOnes[0]!.abort();
      await expect(found).resolves.toEqual(FOUND);
    });
  });

  describe("with listed names", () => {
    const neverAnswers: Resolve = () => undefined;

    test("the system is asked once for a listed name for all who ask, and its answer is remembered for ten seconds", async () => {
      let asked = 0;
      const resolve: Resolve = (_name, _options, callback) => {
        asked++;
        setImmediate(() => callback(null, FOUND));
      };
      names = new NameLookup(clock, { resolve, nameServers: [server.address] });
      await Promise.all([1, 2, 3].map(() => ask("service", { isListed: true })));
      await clock.advance(9_999);
      await ask("service", { isListed: true });
      expect(asked).toBe(1);
      await clock.advance(1);
      await ask("service", { isListed: true });
      expect(asked).toBe(2);
      expect(server.asked).toEqual([]);
    });

    test("nobody waits longer than six seconds for a listed name, and the next caller waits for the same look-up", async () => {
      let asked = 0;
      let answer: Parameters<Resolve>[2] = () => undefined;
      names = new NameLookup(clock, { resolve: (_name, _options, callback) => void (asked++, (answer = callback)) });
      const failure = failureOf("service", { isListed: true });
      await clock.advance(6_000);
      expect(await failure).toBe("service could not be looked up: no answer in 6 s");
      await clock.advance(5_000);
      const found = ask("service", { isListed: true });
      answer(null, FOUND);
      await expect(found).resolves.toEqual(FOUND);
      expect(asked).toBe(1);
    });

    test("a listed name that a stranger also uses, by a port of his own, has a look-up of its own", async () => {
      names = new NameLookup(clock, { resolve: neverAnswers, nameServers: [server.address] });
      const listed = new AbortController();
      const failure = failureOf("hook.example", { isListed: true, signal: listed.signal });
      await expect(ask("hook.example")).resolves.toEqual(FOUND);
      listed.abort(new Error("gone"));
      expect(await failure).toBe("gone");
    });
  });

  test("close of a name look-up ends what is under way and what waits, and leaves no timer", async () => {
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    const ended = silentNames("loud", 300, signal);
    await askedFor(1);
    names.close();
    for (const failure of await Promise.all(ended)) expect(failure).toMatch(/the node has stopped/);
    await clock.settle();
    expect(clock.pendingTimers).toBe(0);
  });
});
