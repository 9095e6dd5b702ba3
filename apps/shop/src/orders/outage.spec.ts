import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/nestjs";
import { QueryFailedError } from "typeorm";
import { isOutage } from "./outage.js";

describe("an outage", () => {
  test.each([
    ["a refused connection", Object.assign(new Error("connect"), { code: "ECONNREFUSED" })],
    ["a server that shuts down", Object.assign(new Error("terminating connection"), { code: "57P01" })],
    [
      "a query on a connection that broke",
      new QueryFailedError("", [], new Error("Connection terminated unexpectedly")),
    ],
    ["no connection in time", new Error("timeout exceeded when trying to connect")],
    ["what the scheduler says so", new TickwheelError("STORE_UNAVAILABLE", "away")],
  ])("an outage is %s", (_, error) => {
    expect(isOutage(error)).toBe(true);
  });

  test.each([
    ["a broken constraint", new QueryFailedError("", [], Object.assign(new Error("check"), { code: "23514" }))],
    ["another error of the scheduler", new TickwheelError("TASK_KEY_CONFLICT", "taken")],
    ["a bug", new TypeError("undefined is not a function")],
    ["a text", "ECONNREFUSED"],
  ])("an outage is not %s", (_, error) => {
    expect(isOutage(error)).toBe(false);
  });
});
