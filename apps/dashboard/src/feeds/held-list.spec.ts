import { expect, test } from "@jest/globals";
import { localProblem } from "../api/problem.js";
import { changeWords, emptyList, type HeldList, listAfter, newerWords } from "./held-list.js";

interface Row {
  readonly id: string;
  readonly state?: string;
}

const page = (ids: string, nextCursor: string | null = null, state?: string) => {
  const items: Row[] = ids.split("").map((id) => ({ id, ...(state !== undefined && { state }) }));
  return { ok: true as const, value: { items, nextCursor }, outcome: null };
};
const idsOf = ({ rows }: HeldList<Row>): string | undefined => rows?.map(({ id }) => id).join("");
const shown = (ids: string, nextCursor: string | null = null) => listAfter<Row>(emptyList, page(ids, nextCursor), 1);

test("a held list shows its first answer as it is", () => {
  const list = shown("cba", "a");
  expect(list).toMatchObject({ nextCursor: "a", newer: 0, readAt: 1, problem: null, isLoose: false, edition: 1 });
  expect(idsOf(list)).toBe("cba");
});

test("rows of a held list change in place, new rows are counted and those that left stay", () => {
  const list = listAfter(shown("cba"), page("edca", null, "new"), 2);
  expect(idsOf(list)).toBe("cba");
  expect(list.rows?.map(({ state }) => state)).toEqual(["new", undefined, "new"]);
  expect([list.newer, [...list.gone], list.edition]).toEqual([2, ["b"], 1]);
  expect(changeWords(list)).toBe("2 came, 1 left: show the list as it is");
});

test("a row that newer rows pushed off a full page has not left, and the page behind it begins where it did", () => {
  const list = listAfter(shown("cba", "a"), page("dcb", "b"), 2);
  expect([list.newer, list.gone.size, list.nextCursor]).toEqual([1, 0, "a"]);
  expect(changeWords(shown("cba"))).toBeNull();
});

test("a page whose rows have all left says so", () => {
  const list = listAfter(shown("cb", "b"), page("yx", "x"), 2);
  expect([list.newer, list.gone.size]).toEqual([2, 2]);
});

test("a further page behind the last row is offered as soon as there is one", () => {
  expect(listAfter(shown("abc"), page("abc", "c"), 2).nextCursor).toBe("c");
});

test("a reader that asks for another look, or saw nothing, gets the rows in their order", () => {
  const asked = { ...listAfter(shown("cba"), page("dca"), 2), isLoose: true };
  const list = listAfter(asked, page("dca"), 3);
  expect([idsOf(list), list.newer, list.gone.size, list.edition]).toEqual(["dca", 0, 0, 2]);
  expect(idsOf(listAfter(shown(""), page("a"), 2))).toBe("a");
});

test("a failure keeps the list that is shown, a refusal ends it", () => {
  const failed = { ok: false as const, problem: localProblem("away") };
  expect(listAfter(shown("a"), failed, 2)).toMatchObject({ rows: [{ id: "a" }], readAt: 1, problem: failed.problem });
  const refused = { ok: false as const, problem: { ...failed.problem, status: 403 } };
  expect(listAfter(shown("a"), refused, 2)).toMatchObject({ rows: null, problem: refused.problem });
});

test("a live list counts its newer items, and those that have left", () => {
  const words = (newer: number, gone: string[]) => newerWords({ newer, gone: new Set(gone) });
  expect([words(37, ["a", "b"]), words(1, []), words(2, ["a"])]).toEqual([
    "37 newer, 2 have left: show them",
    "1 newer: show them",
    "2 newer, 1 has left: show them",
  ]);
  expect([words(0, ["a"]), words(0, [])]).toEqual(["1 has left: show the list as it is", null]);
});

test("a look that ended before the page was full says so until the list is shown anew", () => {
  const { value, ...answer } = page("ba", "a");
  const list = listAfter<Row>(emptyList, { ...answer, value: { ...value, incomplete: true } }, 1);
  expect(list.isIncomplete).toBe(true);
  expect(listAfter(list, page("ba"), 2).isIncomplete).toBe(true);
  expect(listAfter({ ...list, isLoose: true }, page("ba"), 3).isIncomplete).toBe(false);
});
