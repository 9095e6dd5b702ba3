import { describe, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import { Test } from "@nestjs/testing";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler } from "@tickwheel/nestjs";
import {
  type ApplicationBuilder,
  type ClusterReport,
  type NodeEffects,
  type Scenario,
  type SimulatedNode,
  simulateSeeds,
} from "@tickwheel/simulation/nest";
import { PushGateway } from "./push-gateway.js";
import { PushesModule } from "./pushes.module.js";
import { type Push, SendPush } from "./send-push.task.js";

/** More of them before a release: `run-tests.mjs --whole`. */
const SEEDS = process.env["TICKWHEEL_TEST_DEPTH"] === "whole" ? 40 : 6;

const USERS = ["ann", "bob", "cy"];

/** A vendor who delivers what carries the same key once. */
class CountedGateway extends PushGateway {
  constructor(private readonly effects: NodeEffects) {
    super();
  }

  override send({ userId }: Push, idempotencyKey: string): Promise<void> {
    return this.effects.call("push", userId, { idempotencyKey });
  }
}

/** The wrong twin of the shop's handler: its key is a new one at each attempt. */
@Injectable()
@DelayTaskHandler(SendPush)
class HastySendPushHandler {
  constructor(private readonly gateway: PushGateway) {}

  async handle({ id, payload }: DelayTask<Push>, { fence }: DelayTaskContext): Promise<void> {
    await this.gateway.send(payload, `${id}:${fence}`);
  }
}

function shop({ module, effects }: SimulatedNode): ApplicationBuilder {
  const testing = Test.createTestingModule({ imports: [PushesModule, module] });
  return testing.overrideProvider(PushGateway).useValue(new CountedGateway(effects));
}

function hastyShop({ module, effects }: SimulatedNode): ApplicationBuilder {
  const gateway = { provide: PushGateway, useValue: new CountedGateway(effects) };
  return Test.createTestingModule({ imports: [module], providers: [gateway, HastySendPushHandler] });
}

async function scenario({ tasks }: Scenario): Promise<void> {
  for (const userId of USERS)
    await tasks.schedule(SendPush, { userId, text: "your parcel is here" }, { delay: "20h", key: userId });
}

function check(report: ClusterReport): void {
  report.expectAllSucceeded();
  for (const userId of USERS) report.expectOnce("push", userId);
}

describe("push messages of a cluster whose nodes die, stand still and are cut off", () => {
  test("push messages of a cluster whose nodes die, stand still and are cut off are delivered once", async () => {
    const { faults } = await simulateSeeds({ app: shop, scenario, check, seeds: SEEDS });
    expect(faults.kill + faults.pause + faults.cut).toBeGreaterThan(0);
  });

  test("push messages are delivered twice by a handler whose key is new at each attempt, and the check finds that", async () => {
    const runs = simulateSeeds({ app: hastyShop, scenario, check, seeds: 20 });
    await expect(runs).rejects.toThrow(/^Expected the effect push "\w+" exactly once, and it was done 2 times/);
  });
});
