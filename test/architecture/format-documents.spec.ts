import { expect, test } from "@jest/globals";
import { unpadded } from "../runner/format-documents.mjs";

test("a table is not padded, and what a cell says stays", () => {
  const text = [
    "| name     | is                   |",
    "| -------- | :------------------: |",
    "| `a \\| b` | one of two           |",
    "|          | empty                |",
    "",
    "Text with | a bar.",
  ];
  expect(unpadded(text.join("\n")).split("\n")).toEqual([
    "| name | is |",
    "| --- | :---: |",
    "| `a \\| b` | one of two |",
    "|  | empty |",
    "",
    "Text with | a bar.",
  ]);
});

test("what is between fences stays as it is", () => {
  const text = "```text\n| a      |  b |\n```\n| a      | b |";
  expect(unpadded(text)).toBe("```text\n| a      |  b |\n```\n| a | b |");
});
