import { expect, test } from "@jest/globals";
import { taskTabs } from "../api/wire.js";
import { countText, firstFields, firstTab, tabSentence, tabWords } from "./tab-words.js";

test("a count that ended early has a plus, a count that is not known a dash", () => {
  expect([{ count: 412 }, { count: 100_000, atLeast: true as const }, undefined].map(countText)).toEqual([
    "412",
    "100,000+",
    "–",
  ]);
});

test("the page of tasks opens with a sentence on what is the case in its tab", () => {
  expect(tabSentence("overdue", { count: 412 }, "12:00:05")).toBe("412 are overdue: due, and not started.");
  expect(tabSentence("running", { count: 1 }, "12:00:05")).toBe("1 runs.");
  expect(tabSentence("failing", { count: 20_000, atLeast: true }, "12:00:05")).toBe(
    "At least 20,000 have failed and are tried again.",
  );
  expect(tabSentence("failing", { count: 0, atLeast: true }, "12:00:05")).toBe(
    "None of the tasks that were looked at has failed and is tried again, as counted at 12:00:05; more wait that were not.",
  );
  expect(taskTabs.map((tab) => tabSentence(tab, { count: 0 }, "12:00:05"))).toEqual(
    taskTabs.map((tab) => `${tabWords[tab].none}, as counted at 12:00:05.`),
  );
  expect(tabSentence("dead", undefined, "12:00:05")).toBeNull();
  expect(tabSentence(undefined, undefined, "12:00:05")).toBe("Tasks of all tabs, live and finished.");
});

test("the tab of overdue tasks opens first, if any task is overdue", () => {
  expect([firstTab({ overdue: { count: 1 } }), firstTab({ overdue: { count: 0 } })]).toEqual(["overdue", "scheduled"]);
});

test("the filter's fields that leave something to find in a tab are offered first", () => {
  expect(firstFields("paused")).toEqual(["type", "key", "tag", "created"]);
  expect(firstFields("dead")).toEqual(["type", "key", "tag", "created", "error", "reason", "finished"]);
  expect(firstFields(undefined)).toContain("states");
});
