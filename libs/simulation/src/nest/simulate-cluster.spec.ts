import { describe, expect, test } from "@jest/globals";
import { Inject, Injectable } from "@nestjs/common";
import { Test } from "@nestjs/testing";
import { type Duration, TickwheelError } from "@tickwheel/core";
import { defineTask, type DelayTask, type DelayTaskContext, DelayTaskHandler } from "@tickwheel/nestjs";
import type { ClusterReport } from "./cluster-report.js";
import type { SimulatedClusterOptions } from "./cluster-options.js";
import { NodeEffects } from "./node-effects.js";
import { simulateCluster, simulateSeeds } from "./simulate-cluster.js";

const Charge = defineTask<{ orderId: string }>("order.charge", { maxAttempts: 10, timeout: "2m" });
type Charged = DelayTask<{ orderId: string }>;

/** Its charge carries the task's key: the other side does it once. */
@Injectable()
@DelayTaskHandler(Charge)
class Careful {
  constructor(@Inject(NodeEffects) private readonly effects: NodeEffects) {}

  async handle({ payload: { orderId } }: Charged, ctx: DelayTaskContext): Promise<void> {
    await this.effects.call("charge", orderId, { idempotencyKey: ctx.idempotencyKey });
    await this.effects.wait("2s");
    await ctx.once("book", async (manager) => this.effects.within(manager, "booked", orderId));
    await ctx.transaction(async (manager) => this.effects.within(manager, "paid", orderId));
  }
}

/** The same, without the key. */
@Injectable()
@DelayTaskHandler(Charge)
class Careless {
  constructor(@Inject(NodeEffects) private readonly effects: NodeEffects) {}

  async handle({ payload: { orderId } }: Charged): Promise<void> {
    await this.effects.call("charge", orderId);
    await this.effects.wait("2s");
  }
}

/** What it does in its transaction is rolled back at the first attempt. */
@Injectable()
@DelayTaskHandler(Charge)
class Stumbling {
  constructor(@Inject(NodeEffects) private readonly effects: NodeEffects) {}

  async handle({ payload: { orderId } }: Charged, ctx: DelayTaskContext): Promise<void> {
    await ctx.transaction(async (manager) => {
      this.effects.within(manager, "paid", orderId);
      if (ctx.attempt === 1) throw new Error("no stock");
    });
  }
}

const ORDERS = ["1", "2", "3"];

function clusterOf(handler: new (effects: NodeEffects) => object): SimulatedClusterOptions {
  return {
    app: ({ module, effects }) =>
      Test.createTestingModule({
        imports: [module],
        providers: [handler, { provide: NodeEffects, useValue: effects }],
      }),
    async scenario({ tasks }) {
      for (const orderId of ORDERS) await tasks.schedule(Charge, { orderId }, { delay: "15m", key: orderId });
    },
  };
}

function expectEachOnce(report: ClusterReport): void {
  report.expectAllSucceeded();
  for (const key of ORDERS) report.expectOnce("charge", key).expectOnce("booked", key).expectOnce("paid", key);
}

/** More of them before a release: `run-tests.mjs --whole`. */
const SEEDS = process.env["TICKWHEEL_TEST_DEPTH"] === "whole" ? 24 : 7;

/** @returns the error of the first bad run */
async function firstBadRun(faults: SimulatedClusterOptions["faults"], seeds = 25): Promise<string> {
  const check = (report: ClusterReport): void => ORDERS.forEach((key) => report.expectOnce("charge", key));
  const found = simulateSeeds({ ...clusterOf(Careless), faults, seeds, check });
  return found.then(
    () => "none",
    (error: Error) => error.message,
  );
}

describe("a simulated cluster", () => {
  test("a simulated cluster does each effect of a careful handler once, whatever strikes its nodes", async () => {
    const summary = await simulateSeeds({ ...clusterOf(Careful), seeds: SEEDS, check: expectEachOnce });
    expect(summary.seeds).toBe(SEEDS);
    for (const count of Object.values(summary.faults)) expect(count).toBeGreaterThan(0);
  });

  const nothing = { kills: false, pauses: false, cuts: false };

  test.each(["kills", "pauses", "cuts"] as const)(
    "a simulated cluster finds by %s alone a handler that charges twice",
    async (kind) => {
      const message = await firstBadRun({ ...nothing, [kind]: true });
      expect(message).toMatch(/^Expected the effect charge "\d" exactly once, and it was done \d times\.\nSeed \d+ /);
      expect(message).toMatch({ kills: /FAULT kill/, pauses: /FAULT pause/, cuts: /FAULT (cut|lost answer)/ }[kind]);
      expect(message.match(/EFFECT charge/g)!.length).toBeGreaterThanOrEqual(2);
    },
  );

  test("a simulated cluster finds nothing in a handler that charges twice where no fault is drawn", async () => {
    expect(await firstBadRun(nothing, 5)).toBe("none");
  });

  test("a simulated cluster runs the same way again for the same seed, and another way for another", async () => {
    const hashes: string[] = [];
    for (const seed of [7, 7, 8]) hashes.push((await simulateCluster({ ...clusterOf(Careful), seed })).hash);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });

  test("a simulated cluster does not count effects that were rolled back", async () => {
    const report = await simulateCluster({ ...clusterOf(Stumbling), faults: nothing });
    for (const key of ORDERS) report.expectOnce("paid", key);
    expect(report.tasks.map(({ state, attempt }) => [state, attempt])).toEqual(ORDERS.map(() => ["succeeded", 2]));
    expect(() => report.expectAtLeastOnce("charge", "1")).toThrow('the effect charge "1" at least once');
  });

  test("a simulated cluster hands handlers a manager of the test's own, and does later what the scenario plans", async () => {
    const report = await simulateCluster({
      ...clusterOf(Stumbling),
      faults: nothing,
      manager: (transaction) => ({ save: (id: string) => transaction.effect("saved", id) }),
      scenario({ tasks, at }) {
        at("10m", () => tasks.schedule(Charge, { orderId: "late" }, { key: "late" }));
      },
    });
    report.expectAllSucceeded().expectOnce("paid", "late");
    expect(report.tasks).toHaveLength(1);
    expect(report.effects[0]!.atMs).toBeGreaterThan(600_000);
  });

  test("a simulated cluster ends when its time is over, and tells of the task that has not ended", async () => {
    const scenario: SimulatedClusterOptions["scenario"] = async ({ tasks, at }) => {
      await tasks.schedule(Charge, { orderId: "1" }, { delay: "10s", key: "1" });
      at("11s", () => tasks.schedule("nobody.runs.it", {}, { key: "2" }));
    };
    const report = await simulateCluster({ ...clusterOf(Careful), scenario, faults: nothing, lasts: "30s" });
    report.expectOnce("paid", "1");
    expect(() => report.expectAllSucceeded()).toThrow("nobody.runs.it 2 is scheduled");
  });

  test("a simulated cluster names every fault of its options, and each scenario that fails", async () => {
    const bad = { ...clusterOf(Careful), nodes: 0, seed: 0.5, lasts: "soon" as string as Duration };
    const error: unknown = await simulateCluster(bad).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TickwheelError);
    expect((error as TickwheelError).faults.map(({ path }) => path)).toEqual(["nodes", "seed", "lasts"]);
    const failing = { ...clusterOf(Careful), scenario: () => Promise.reject(new Error("no such order")) };
    await expect(simulateCluster(failing)).rejects.toThrow("no such order");
  });
});
