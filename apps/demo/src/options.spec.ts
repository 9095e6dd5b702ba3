import { describe, expect, test } from "@jest/globals";
import { parseOptions } from "./options.js";

describe("the command line", () => {
  test("the demo's command line replays generated orders on a cluster with Redis unless told otherwise", () => {
    expect(parseOptions([])).toEqual({
      ordersFile: null,
      count: 10_000,
      rate: 250,
      speed: 60,
      seed: 1,
      isOnce: false,
      killsRedis: false,
      usesRedis: true,
      printsJson: false,
    });
  });

  test("the demo's command line takes every option", () => {
    const numbers = ["--orders", "f.csv", "--count", "5", "--rate", "2.5", "--speed", "600", "--seed", "0"];
    expect(parseOptions([...numbers, "--once", "--json", "--no-redis"])).toEqual({
      ordersFile: "f.csv",
      count: 5,
      rate: 2.5,
      speed: 600,
      seed: 0,
      isOnce: true,
      killsRedis: false,
      usesRedis: false,
      printsJson: true,
    });
  });
});
