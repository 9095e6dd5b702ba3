import { describe, expect, test } from "@jest/globals";
import { DraftTable, type LockHolder, RowLocked } from "./draft.js";

function table(rows: Record<string, string>, holder: LockHolder | null = null): DraftTable<string> {
  return new DraftTable(new Map(Object.entries(rows)), (key) => (key === "locked" ? holder : null));
}

describe("DraftTable", () => {
  test("shows its own changes in reads and walks, and leaves what is below as it was", () => {
    const below = new Map([
      ["a", "1"],
      ["b", "2"],
      ["c", "3"],
    ]);
    const draft = new DraftTable<string>(below, () => null);
    draft.set("b", "changed");
    draft.delete("c");
    draft.set("d", "new");
    expect([draft.get("a"), draft.get("b"), draft.get("c"), draft.get("d")]).toEqual([
      "1",
      "changed",
      undefined,
      "new",
    ]);
    expect([...draft.values()].sort()).toEqual(["1", "changed", "new"]);
    expect([...below.values()]).toEqual(["1", "2", "3"]);
  });

  test("a row that another transaction holds is read, and neither locked nor written", () => {
    const holder: LockHolder = { ended: Promise.resolve(), waitingFor: null };
    const draft = table({ locked: "1", free: "2" }, holder);
    expect([draft.get("locked"), draft.isLocked("locked"), draft.isLocked("free")]).toEqual(["1", true, false]);
    for (const write of [() => draft.lock("locked"), () => draft.set("locked", "x"), () => draft.delete("locked")])
      expect(write).toThrow(RowLocked);
    expect(draft.lock("free")).toBe("2");
    expect([...draft.changes]).toEqual([]);
  });
});
