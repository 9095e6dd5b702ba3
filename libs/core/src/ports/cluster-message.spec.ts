import { describe, expect, test } from "@jest/globals";
import { HostileMessages } from "@tickwheel/simulation";
import { SeededRandom } from "@tickwheel/testing";
import { decodeText, MAX_HINTS_PER_MESSAGE, readMessage } from "./cluster-message.js";
import type { TaskHint } from "../task/task.js";

const ID = "01a1fde4-720b-7007-b634-6422c5ec4464";
const HINT: TaskHint = { id: ID, typeId: 3, version: 1, dueAt: 1_763_900_000_000, priority: 5 };

function hints(...of: unknown[]): unknown {
  return { kind: "hints", hints: of };
}

describe("a message", () => {
  test.each([
    hints(HINT),
    hints(...Array<TaskHint>(MAX_HINTS_PER_MESSAGE).fill(HINT)),
    hints(),
    { kind: "load" },
    { kind: "view", number: 12 },
    { kind: "cancel", id: ID, fence: 3 },
  ])("a cluster message of ours is read as it was sent", (message) => {
    expect(readMessage(decodeText(JSON.stringify(message)))).toEqual(message);
  });

  test("a cluster message holds nothing beside what a message has", () => {
    const said = { kind: "hints", hints: [{ ...HINT, more: "x".repeat(1_000) }], more: 1 };
    expect(readMessage(said)).toEqual(hints(HINT));
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a text", "load"],
    ["a list", [{ kind: "load" }]],
    ["no kind", {}],
    ["another kind", { kind: "constructor" }],
    ["hints without hints", { kind: "hints" }],
    ["hints that are no list", { kind: "hints", hints: { length: 1 } }],
    ["a hint that is null", hints(null)],
    ["one bad hint among good ones", hints(HINT, { ...HINT, typeId: 0 }, HINT)],
    ["more hints than a message holds", hints(...Array<TaskHint>(MAX_HINTS_PER_MESSAGE + 1).fill(HINT))],
    ["an id that is no uuid", hints({ ...HINT, id: "x" })],
    ["an id in upper case", hints({ ...HINT, id: ID.toUpperCase() })],
    ["an id of another version", hints({ ...HINT, id: ID.replace("-7007", "-4007") })],
    ["an id with a NUL behind it", hints({ ...HINT, id: `${ID}\0` })],
    ["an id with a line break behind it", hints({ ...HINT, id: `${ID}\n` })],
    ["a type of no number", hints({ ...HINT, typeId: "3" })],
    ["a type beyond the column", hints({ ...HINT, typeId: 2 ** 31 })],
    ["half a version", hints({ ...HINT, version: 0.5 })],
    ["a due time that is not a number", hints({ ...HINT, dueAt: Number.NaN })],
    ["a due time without end", hints({ ...HINT, dueAt: Number.POSITIVE_INFINITY })],
    ["a due time before all time", hints({ ...HINT, dueAt: -1 })],
    ["a due time that no date has", hints({ ...HINT, dueAt: 8.64e15 + 2 })],
    ["a priority beyond 9", hints({ ...HINT, priority: 10 })],
    ["a view without a number", { kind: "view" }],
    ["a view below 0", { kind: "view", number: -1 }],
    ["a view that is no whole number", { kind: "view", number: 2 ** 53 }],
    ["a cancel without a fence", { kind: "cancel", id: ID }],
    ["a cancel of no task", { kind: "cancel", id: "x", fence: 1 }],
  ])("a cluster message is not %s", (_, said) => {
    expect(readMessage(said)).toBeNull();
  });

  test("a hostile text is a cluster message only if it has the form of one, and none throws", () => {
    const hostile = new HostileMessages(new SeededRandom(1));
    const overheard = { taskIds: [ID], typeIds: [1, 2], nowMs: HINT.dueAt };
    let read = 0;
    for (let count = 0; count < 5_000; count++) {
      const message = readMessage(decodeText(JSON.stringify(hostile.next(overheard))));
      if (message === null) continue;
      read++;
      expect(readMessage(message)).toEqual(message);
    }
    // Both kinds are there.
    expect(read).toBeGreaterThan(500);
    expect(read).toBeLessThan(4_500);
  });
});

describe("a text from the network", () => {
  test("a text from the network that is no JSON, or longer than any message, holds nothing", () => {
    const texts = ["", "{", "\0", "undefined", `"${"x".repeat(200_000)}"`, "[".repeat(100_000)];
    expect(texts.map(decodeText)).toEqual(texts.map(() => undefined));
  });
});
