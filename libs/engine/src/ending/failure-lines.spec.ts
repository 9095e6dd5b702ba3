import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { DEAD_REASONS } from "@tickwheel/core";
import { cureOfDead, cureOfFailed } from "./failure-lines.js";

const runbook = readFileSync(new URL("../../../../docs/runbook.md", import.meta.url), "utf8");

test.each(DEAD_REASONS)("the cure of a task that is dead by %s ends in the call that retries it", (reason) => {
  const cure = cureOfDead("0190-a", reason);
  expect(cure).toMatch(/^[a-z].{20,}; then POST \/v1\/tasks\/0190-a\/retry$/);
  for (const [, heading] of cure.matchAll(/runbook: (\w+)/g)) expect(runbook).toContain(`\n## ${heading}\n`);
});

test("a failed attempt needs no cure, since it is tried again", () => {
  expect(cureOfFailed(500)).toBe("none is needed: it is tried again by itself in 500 ms");
});
