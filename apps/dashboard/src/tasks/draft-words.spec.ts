import { expect, test } from "@jest/globals";
import { draftSentences, dueOf } from "./draft-words.js";
import { newDraft, type TaskDraft } from "./task-draft.js";

const now = Date.parse("2026-11-21T09:00:00.000Z");
const told = (fields: Partial<TaskDraft>, defaults = { maxAttempts: 3, priority: 5 }) =>
  draftSentences({ ...newDraft(), ...fields }, defaults, { now, instantText: (at) => new Date(at).toISOString() });

test.each<[Partial<TaskDraft>, string]>([
  [{ delay: "90m" }, "It runs in 1 h 30 min, at 2026-11-21T10:30:00.000Z."],
  [{ delay: " 1500 " }, "It runs in 2 s, at 2026-11-21T09:00:01.500Z."],
  [{ when: "now" }, "It runs at once, now at 2026-11-21T09:00:00.000Z."],
  [
    { when: "scheduledAt", scheduledAt: "2026-11-21T08:00:00Z" },
    "It runs at once, since its time is over: it was 2026-11-21T08:00:00.000Z.",
  ],
  [{ delay: "soon" }, "Its time cannot be read yet."],
])("the words for %j say when it runs: %s", (fields, sentence) => {
  expect(told(fields)[0]).toBe(sentence);
});

test("a new task's attempts and priority are those of its type where nothing is typed", () => {
  expect(told({})[1]).toBe("At most 3 attempts, priority 5.");
  expect(told({ maxAttempts: "1", priority: "0" })[1]).toBe("At most 1 attempt, priority 0.");
  const unknown = draftSentences(newDraft(), null, { now, instantText: String });
  expect(unknown).toHaveLength(1);
});

test("a new task's draft tells what becomes of a live task with its key, without a key nothing", () => {
  expect(told({})).toHaveLength(2);
  expect(told({ key: "a", onConflict: "replace" })[2]).toBe(
    "If a live task has the key a, that task is cancelled, and this one takes its place.",
  );
});

test("a new task whose time is not typed yet has no time", () => {
  expect(dueOf({ ...newDraft(), when: "scheduledAt", scheduledAt: "" }, now)).toBeNull();
});
