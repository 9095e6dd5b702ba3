import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "@jest/globals";
import { findOnPath } from "./find-on-path.js";

test("the first executable of a name on the path is found, and files that cannot be run are passed over", () => {
  const parent = mkdtempSync(join(tmpdir(), "tickwheel-path-"));
  const files = ["plain", "first", "second"].map((name) => {
    mkdirSync(join(parent, name));
    writeFileSync(join(parent, name, "tool"), "");
    if (name !== "plain") chmodSync(join(parent, name, "tool"), 0o755);
    return join(parent, name, "tool");
  });
  const path = ["", ...files.map((file) => join(file, ".."))].join(delimiter);
  const found = findOnPath("tool", path);
  const missing = findOnPath("other", path);
  rmSync(parent, { recursive: true });
  expect(found).toBe(files[1]);
  expect(missing).toBeUndefined();
});
