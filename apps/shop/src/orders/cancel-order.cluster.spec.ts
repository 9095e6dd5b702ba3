import { describe, expect, test } from "@jest/globals";
import { Test } from "@nestjs/testing";
import {
  type ApplicationBuilder,
  type ClusterReport,
  type NodeEffects,
  type Scenario,
  type SimulatedNode,
  type SimulatedTransaction,
  simulateSeeds,
} from "@tickwheel/simulation/nest";
import { ExecutionLog } from "../executions/execution-log.js";
import { CancelOrderHandler } from "./cancel-order.handler.js";
import { CancelOrder } from "./cancel-order.task.js";
import { PaymentProvider } from "./payment-provider.js";

/** More of them before a release: `run-tests.mjs --whole`. */
const SEEDS = process.env["TICKWHEEL_TEST_DEPTH"] === "whole" ? 40 : 20;

const UNPAID = ["1", "2", "4", "5"];
const PAID = "3";

/** A log that takes its time. */
const slowLog = (effects: NodeEffects) => ({ started: () => effects.wait("20ms"), ended: () => effects.wait("20ms") });

const provider = (effects: NodeEffects) => ({
  isPaid: async (orderId: string): Promise<boolean> => {
    await effects.wait("1s");
    return orderId === PAID;
  },
});

function shop({ module, effects }: SimulatedNode): ApplicationBuilder {
  const providers = [
    CancelOrderHandler,
    { provide: ExecutionLog, useValue: slowLog(effects) },
    { provide: PaymentProvider, useValue: provider(effects) },
  ];
  return Test.createTestingModule({ imports: [module], providers });
}

/** The shop's tables, as far as the handler's two statements ask them. */
const manager = (transaction: SimulatedTransaction) => ({
  query: (sql: string, [orderId]: string[]): Promise<unknown[]> => {
    const isCancel = sql.includes("INSERT INTO shop.effects");
    transaction.effect(isCancel ? "cancelled" : "paid", orderId!);
    return Promise.resolve(isCancel ? [{ id: "1" }] : [[], 0]);
  },
});

async function scenario({ tasks }: Scenario): Promise<void> {
  for (const orderId of [...UNPAID, PAID])
    await tasks.schedule(CancelOrder, { orderId }, { delay: "15m", key: orderId });
}

function check(report: ClusterReport): void {
  report.expectAllSucceeded().expectOnce("paid", PAID);
  for (const orderId of UNPAID) report.expectOnce("cancelled", orderId);
}

describe("orders of a cluster whose nodes die, stand still and are cut off", () => {
  test("orders of a cluster whose nodes die, stand still and are cut off are cancelled once, or kept where they are paid", async () => {
    const { faults } = await simulateSeeds({ app: shop, manager, scenario, check, seeds: SEEDS });
    expect(faults["lost answer"]).toBeGreaterThan(0);
  });
});
