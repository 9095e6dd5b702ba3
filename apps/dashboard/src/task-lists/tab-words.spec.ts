import { expect, test } from "@jest/globals";
import { taskTabs } from "../api/wire.js";
import { addableWords, chipsOf, countText, firstTab, queryOf, tabSentence, tabWords } from "./tab-words.js";

const now = Date.parse("2026-11-24T12:00:00.000Z");

test("a count that ended early has a plus, one that is not known a dash", () => {
  expect([{ count: 412 }, { count: 100_000, atLeast: true as const }, undefined].map(countText)).toEqual([
    ...["412", "100,000+", "–"],
  ]);
});

test("the page opens with what is the case", () => {
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

test("what is overdue opens first, if anything is", () => {
  expect([firstTab({ overdue: { count: 1 } }), firstTab({ overdue: { count: 0 } })]).toEqual(["overdue", "scheduled"]);
});

test("the server is asked for all that the filter says, stretches of time as of now", () => {
  const filter = { type: "mail", due: "<1h", created: ">1d" };
  const ranges = { createdTo: "2026-11-23T12:00:00.000Z" };
  expect(queryOf({ tab: "overdue", filter }, now)).toEqual({
    ...{ tab: "overdue", type: "mail", dueFrom: "2026-11-24T11:00:00.000Z" },
    ...ranges,
  });
  expect(queryOf({ tab: "scheduled", filter }, now)).toEqual({
    ...{ tab: "scheduled", type: "mail", dueTo: "2026-11-24T13:00:00.000Z" },
    ...ranges,
  });
  expect(queryOf({ filter: { key: "k" } }, now)).toEqual({ key: "k" });
  expect(queryOf({ tab: "finished", filter: { state: "expired" } }, now)).toEqual({
    tab: "finished",
    state: "expired",
  });
});

test("chips tell the filter in the order of the line, stretches of time in words", () => {
  const filter = { created: "<24h", due: "<1h", key: "k" };
  expect(chipsOf({ tab: "overdue", filter }).map(({ word, text }) => `${word} ${text}`)).toEqual([
    ...["key k", "due last 1 h", "created last 1 d"],
  ]);
  expect(chipsOf({ tab: "scheduled", filter: { due: "<1h" } })).toEqual([{ word: "due", text: "within 1 h" }]);
});

test("only words that leave something to find are offered", () => {
  expect(addableWords({ tab: "paused", filter: { key: "k" } })).toEqual(["type", "tag", "node", "error", "created"]);
  expect(addableWords({ tab: "finished", filter: {} })[0]).toBe("state");
});
