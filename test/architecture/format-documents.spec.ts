import { expect, test } from "@jest/globals";
import { unpadded } from "../runner/format-documents.mjs";

test("a formatted table is not padded, and the text of its cells stays", () => {
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

test("the text between a document's fences stays as it is", () => {
  const text = "```text\n| a      |  b |\n```\n| a      | b |";
  expect(unpadded(text)).toBe("```text\n| a      |  b |\n```\n| a | b |");
});
