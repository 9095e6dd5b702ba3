import { expect, test } from "@jest/globals";
import { table, withParts } from "./markdown.js";

test("a table in Markdown is not padded, and a bar in a cell is no end of the cell", () => {
  expect(table(["a", "b"], [["x|y", "long"]])).toBe("| a | b |\n| --- | --- |\n| x\\|y | long |");
});

test("a part of a document is put between its marks, whatever stood there", () => {
  const document = "# A\n\n<!-- made:one -->\n\nold\n\n<!-- /made:one -->\n\nprose\n";
  const made = withParts(document, { one: "- new" });
  expect(made).toBe("# A\n\n<!-- made:one -->\n\n<!-- oxfmt-ignore -->\n- new\n\n<!-- /made:one -->\n\nprose\n");
  expect(withParts(made, { one: "- new" })).toBe(made);
});

test("a part of a document without marks, and marks without a part, are mistakes", () => {
  expect(() => withParts("prose", { one: "- new" })).toThrow("there are no marks for one");
  expect(() => withParts("<!-- made:two -->\n<!-- /made:two -->", {})).toThrow("nothing makes the part two");
});
