import { expect, test } from "@jest/globals";
import { shownText } from "./shown-text.js";

test("a caller's text is cut between characters and has nothing that must be escaped", () => {
  expect(shownText("plain")).toBe("plain");
  expect(shownText("a\0\u001f\ud800b")).toBe("a\ufffd\ufffd\ufffdb");
  expect(shownText("🐎🐎", 3)).toBe("🐎\ufffd…");
});
