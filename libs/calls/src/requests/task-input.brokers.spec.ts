import { describe, expect, test } from "@jest/globals";
import { checkInput, taskInput } from "@tickwheel/contract";
import { DEFAULT_OPTIONS } from "@tickwheel/core";
import { AllowedHosts, BrokerTargets } from "@tickwheel/executors";
import { deliverFaults, toTaskRequest } from "./task-request.js";

const bounds = {
  webhookHosts: new AllowedHosts([]),
  brokers: new BrokerTargets({ shop: { kind: "nats", url: "nats://host", subject: "orders", subjects: ["news.*"] } }),
  scheduler: DEFAULT_OPTIONS,
};

function faultPaths(value: unknown): string[] {
  return checkInput(taskInput, value)
    .faults.map((fault) => fault.path)
    .sort();
}

describe("brokers", () => {
  test.each<[object, string[]]>([
    [{ kind: "nats", to: "shop" }, []],
    [{ kind: "nats", to: "shop", subject: "news.today", headers: { "x-tenant": "7" } }, []],
    [{ kind: "nats" }, ["deliver.to"]],
    [{ kind: "nats", to: "a b", subject: "a b" }, ["deliver.subject", "deliver.to"]],
    [{ kind: "nats", to: "shop", subject: "news.>" }, ["deliver.subject"]],
    [{ kind: "nats", to: "shop", url: "https://a.example", expectBody: "ok" }, ["deliver.expectBody", "deliver.url"]],
    [{ kind: "pull", to: "shop", subject: "orders" }, ["deliver.subject", "deliver.to"]],
    [{ kind: "webhook", url: "https://a.example", to: "shop" }, ["deliver.to"]],
    [{ kind: "nats", to: "shop", headers: { "Nats-Rollup": "all" } }, ["deliver.headers"]],
    [{ kind: "nats", to: "shop", headers: { "tickwheel-key": "k" } }, ["deliver.headers"]],
  ])("the delivery %j to a broker has the faults %j", (deliver, expected) => {
    expect(faultPaths({ type: "t", deliver })).toEqual(expected);
  });

  test.each<[object, string]>([
    [{ kind: "nats", to: "shp" }, "tasks[2].deliver.to"],
    [{ kind: "amqp", to: "shop" }, "tasks[2].deliver.kind"],
    [{ kind: "nats", to: "shop", subject: "other" }, "tasks[2].deliver.subject"],
  ])("a delivery that this node may not publish is a fault: %j", (deliver, path) => {
    const { input, faults } = checkInput(taskInput, { type: "t", deliver });
    expect(faults).toEqual([]);
    expect(deliverFaults(input, bounds, "tasks[2]").map((fault) => fault.path)).toEqual([path]);
  });

  test("a task delivered to a broker is asked for with what it says, and no more", () => {
    const { input } = checkInput(taskInput, { type: "t", deliver: { kind: "nats", to: "shop", subject: null } });
    expect(toTaskRequest(input, "default", "tester").outbound).toEqual({ kind: "nats", to: "shop" });
  });
});
