import { describe, test } from "@jest/globals";
import type { Coordination } from "@tickwheel/core";
import { coordinationConformance, type CoordinationSubject, notifyConformance } from "@tickwheel/conformance";
import { MemoryBus, SeededRandom } from "@tickwheel/testing";
import { SimulatedNotify, SimulatedRedis, VirtualTime } from "@tickwheel/simulation";

/** No case takes longer, by virtual time. */
const LIMIT_MS = 600_000;
const KEY_TTL_MS = 1_500;
const SEEDS = [1, 2, 3, 4, 5];

type Fault = "flush" | "stop" | "hang" | "start";

function subjectOver(
  time: VirtualTime,
  join: () => Coordination,
  faults: Record<Fault, () => void>,
): CoordinationSubject {
  const make = (fault: Fault) => (): Promise<void> => Promise.resolve(faults[fault]());
  return {
    clock: time,
    keyTtlMs: KEY_TTL_MS,
    join: async () => {
      const coordination = join();
      await coordination.start();
      return coordination;
    },
    flush: make("flush"),
    stop: make("stop"),
    hang: make("hang"),
    start: make("start"),
  };
}

function simulatedRedis(time: VirtualTime): CoordinationSubject {
  const redis = new SimulatedRedis({ time, keyTtlMs: KEY_TTL_MS });
  return subjectOver(time, () => redis.attach(time.node(), redis.newLink()), {
    flush: () => redis.flush(),
    stop: () => redis.stop(),
    hang: () => redis.hang(),
    start: () => redis.start(),
  });
}

function memoryBus(time: VirtualTime, kind: "redis" | "postgres"): CoordinationSubject {
  const bus = new MemoryBus({ clock: time, keyTtlMs: KEY_TTL_MS, kind });
  return subjectOver(time, () => bus.attach(), {
    flush: () => bus.flush(),
    stop: () => bus.setAvailable(false, "broken"),
    hang: () => bus.setAvailable(false),
    start: () => bus.setAvailable(true),
  });
}

function simulatedNotify(time: VirtualTime): CoordinationSubject {
  const notify = new SimulatedNotify({ time });
  return subjectOver(time, () => notify.attach(time.node(), { link: notify.newLink() }), {
    flush: () => undefined,
    stop: () => notify.stop(),
    hang: () => notify.hang(),
    start: () => notify.start(),
  });
}

/** Lets the time run for as long as the case waits for something. */
async function inVirtualTime(time: VirtualTime, work: Promise<void>): Promise<void> {
  let isOver = false;
  const ended = work.finally(() => (isOver = true));
  ended.catch(() => undefined);
  if (!(await time.runUntil(() => isOver, LIMIT_MS))) throw new Error("The case did not end");
  await ended;
}

describe.each(SEEDS)("a simulated Redis, seed %d,", (seed) => {
  test.each([...coordinationConformance])("$name", ({ run }) => {
    const time = new VirtualTime({ random: new SeededRandom(seed) });
    return inVirtualTime(time, run(simulatedRedis(time)));
  });
});

describe.each(SEEDS)("simulated notifications, seed %d,", (seed) => {
  test.each([...notifyConformance])("$name", ({ run }) => {
    const time = new VirtualTime({ random: new SeededRandom(seed) });
    return inVirtualTime(time, run(simulatedNotify(time)));
  });
});

describe("the memory bus", () => {
  test.each([...coordinationConformance])("$name", ({ run }) => {
    const time = new VirtualTime({ random: new SeededRandom(1) });
    return inVirtualTime(time, run(memoryBus(time, "redis")));
  });
});
