import { describe, expect, test } from "@jest/globals";
import { commandOf, type KeyPlace } from "./keys.js";

const anywhere: KeyPlace = { isInField: false, isOnControl: false, hasLetters: true, leaderAt: null };
const press = (key: string, place: Partial<KeyPlace> = {}, held: { ctrlKey?: boolean; metaKey?: boolean } = {}) =>
  commandOf({ key, ctrlKey: false, metaKey: false, altKey: false, ...held }, { ...anywhere, ...place }, 10_000);

describe("keys", () => {
  test.each([
    ["?", { do: "help" }],
    ["/", { do: "filter" }],
    ["z", { do: "zone" }],
    [" ", { do: "hold" }],
    ["j", { do: "next" }],
    ["k", { do: "previous" }],
    ["n", { do: "newer" }],
    ["q", null],
    ["toString", null],
  ])("the key %j asks for %j", (key, command) => {
    expect(press(key)).toEqual(command);
  });

  test("the key g waits for a page's key, for a while", () => {
    expect(press("g")).toBe("leader");
    expect(press("t", { leaderAt: 9_000 })).toEqual({ do: "go", href: "#/tasks" });
    expect(press("t", { leaderAt: 8_000 })).toBeNull();
    expect(press("z", { leaderAt: 9_000 })).toEqual({ do: "zone" });
  });

  test("no letter acts as a shortcut in a field, where letters are off, or with another key held", () => {
    for (const key of ["z", "g", "?", " "]) {
      expect(press(key, { isInField: true })).toBeNull();
      expect(press(key, { hasLetters: false })).toBeNull();
      expect(press(key, {}, { ctrlKey: true })).toBeNull();
    }
  });

  test("space presses the control that has the focus", () => {
    expect(press(" ", { isOnControl: true })).toBeNull();
  });

  test("the palette opens by its keys from everywhere, also where letters are off", () => {
    const place = { isInField: true, hasLetters: false };
    expect(press("k", place, { ctrlKey: true })).toEqual({ do: "palette" });
    expect(press("K", place, { metaKey: true })).toEqual({ do: "palette" });
  });
});
