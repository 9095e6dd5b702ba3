import { expect, test } from "@jest/globals";
import { rowsOf } from "./caller-session.js";

const rows = [{ id: 1 }, { id: 2 }];

test.each([
  ["a SELECT of TypeORM", rows, rows],
  ["an UPDATE … RETURNING of TypeORM", [rows, 2], rows],
  ["one that changed nothing", [[], 0], []],
  ["a pg client", { rows, rowCount: 2 }, rows],
  ["nothing at all", undefined, []],
])("the rows of %s are found", (_, answer, expected) => {
  expect(rowsOf(answer)).toEqual(expected);
});
