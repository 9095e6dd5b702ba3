import { expect, test } from "@jest/globals";
import { windowStart } from "./window-start.js";

test("a window begins 10 s before now, at the first id there may be, however often it was loaded", () => {
  const first = { dueAt: 90_000, id: "00000000-0000-0000-0000-000000000000" };
  expect([windowStart(100_000), windowStart(100_000.9)]).toEqual([first, first]);
});
