import { expect, test } from "@jest/globals";
import type { NodeHandler } from "../handlers/node-handler.js";
import { nodeTypeOf, requireOnePlace } from "./node-type.js";

const handlerOf = (options: object): NodeHandler => ({
  type: "order.pay",
  where: "Orders.pay",
  options,
  handle: () => undefined,
});

test("a handler's options are its type's, and options that are asked in this process alone are not announced", () => {
  const options = { maxAttempts: 2, startDeadline: "5m", priority: 1, condition: () => true, succeeded: () => true };
  expect(nodeTypeOf(handlerOf(options), "shop")).toEqual({
    namespace: "shop",
    type: "order.pay",
    delivery: "handler",
    maxAttempts: 2,
    startDeadlineMs: 300_000,
    priority: 1,
    backoff: undefined,
    timeoutMs: undefined,
    concurrency: undefined,
  });
});

test.each(["condition", "succeeded"])("a %s that is no function stops the start, and its type is named", (name) => {
  const refused = {
    code: "CONFIGURATION_INVALID",
    message: `"${name}" of the handler of "order.pay" (Orders.pay) must be a function.`,
  };
  for (const value of [true, "unpaid", {}, null])
    expect(() => nodeTypeOf(handlerOf({ [name]: value }), "shop")).toThrow(expect.objectContaining(refused));
});

test("a faulty option and a type that has two methods name class and method", () => {
  expect(() => nodeTypeOf(handlerOf({ priority: 11 }), "shop")).toThrow(/^The handler Orders\.pay: .*priority/);
  expect(() => nodeTypeOf(handlerOf({ concurrency: 0 }), "shop")).toThrow(/"order\.pay" \(Orders\.pay\)/);
  const places = new Map([["order.pay", "Bills.pay"]]);
  expect(() => requireOnePlace(places, handlerOf({}))).toThrow(
    /"order\.pay" on this node, Bills\.pay and Orders\.pay;/,
  );
});
