import { expect, test } from "@jest/globals";
import { UsageByCaller } from "./usage-by-caller.js";

test("shares are counted for each caller and for all, and a caller without any is forgotten", () => {
  const shares = new UsageByCaller();
  shares.add("a", 3);
  shares.add("a");
  shares.add("b");
  expect([shares.of("a"), shares.of("b"), shares.of("c"), shares.total, shares.owners]).toEqual([4, 1, 0, 5, 2]);
  shares.remove("a", 4);
  shares.remove("b");
  expect([shares.of("a"), shares.of("b"), shares.total, shares.owners]).toEqual([0, 0, 0, 0]);
});
