import "reflect-metadata";
import { expect, test } from "@jest/globals";
import { ClusterCron, ClusterInterval } from "./cluster-cron.decorators.js";
import { DelayTaskHandler, OnDelayTaskEvent } from "./delay-task.decorators.js";

type Decorator = (target: object, name: string, descriptor: PropertyDescriptor) => void;

/** Puts decorators on the method `run` of the class `Jobs`. */
function decorated(...decorators: unknown[]): void {
  class Jobs {
    run(): void {}
  }
  const descriptor = Object.getOwnPropertyDescriptor(Jobs.prototype, "run")!;
  for (const decorate of decorators as Decorator[]) decorate(Jobs.prototype, "run", descriptor);
}

const cron = (name: string): unknown => ClusterCron("0 3 * * *", { name });

test.each<[string, unknown[]]>([
  ["two handlers", [DelayTaskHandler("a"), DelayTaskHandler("b")]],
  ["two schedules", [cron("a"), cron("b")]],
  ["a schedule and a handler", [cron("a"), DelayTaskHandler("b")]],
  ["a handler and a schedule", [DelayTaskHandler("b"), cron("a")]],
  ["two listeners", [OnDelayTaskEvent("task.dead"), OnDelayTaskEvent("task.failed")]],
])("%s on one method are refused by class and method", (_what, decorators) => {
  expect(() => decorated(...decorators)).toThrow(/^Jobs\.run has two decorators of one kind/);
});

test("a handler and a listener on one method are two kinds", () => {
  expect(() => decorated(DelayTaskHandler("a"), OnDelayTaskEvent("task.dead"))).not.toThrow();
});

test("an interval of an unknown kind is refused by class and method", () => {
  const interval = ClusterInterval("1m", { name: "poll", kind: "often" as "rate" });
  expect(() => decorated(interval)).toThrow('Jobs.run ("poll"): kind must be "rate" or "delay", not "often".');
});
