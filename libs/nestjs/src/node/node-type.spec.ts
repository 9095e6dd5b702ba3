import { expect, test } from "@jest/globals";
import type { FoundHandler } from "../handlers/delay-task-handler.explorer.js";
import { nodeTypeOf } from "./node-type.js";

const handlerOf = (options: object): FoundHandler => ({ type: "order.pay", options, handle: () => undefined });

test("a handler's options are its type's, and what is asked in this process alone is not announced", () => {
  const options = { maxAttempts: 2, startDeadline: "5m", priority: 1, condition: () => true, succeeded: () => true };
  expect(nodeTypeOf(handlerOf(options), "shop")).toEqual({
    ...{
      namespace: "shop",
      type: "order.pay",
      delivery: "handler",
      maxAttempts: 2,
      startDeadlineMs: 300_000,
      priority: 1,
    },
    ...{ backoff: undefined, timeoutMs: undefined, concurrency: undefined },
  });
});

test.each(["condition", "succeeded"])("a %s that is no function stops the start, and its type is named", (name) => {
  const refused = {
    code: "CONFIGURATION_INVALID",
    message: `"${name}" of the handler of "order.pay" must be a function.`,
  };
  for (const value of [true, "unpaid", {}, null])
    expect(() => nodeTypeOf(handlerOf({ [name]: value }), "shop")).toThrow(expect.objectContaining(refused));
});
