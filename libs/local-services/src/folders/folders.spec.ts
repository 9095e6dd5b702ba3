import { chmodSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { usableFolder } from "./folders.js";

describe("usableFolder", () => {
  let parent: string;

  beforeEach(() => {
    parent = realpathSync(mkdtempSync(join(tmpdir(), "tickwheel-folders-")));
    chmodSync(parent, 0o755);
  });
  afterEach(() => {
    chmodSync(parent, 0o755);
    rmSync(parent, { recursive: true });
  });

  test("usableFolder makes the folder where the server may enter, whatever the umask", () => {
    const umask = process.umask(0o077);
    const folder = usableFolder(join(parent, "a/b"));
    process.umask(umask);
    expect(folder).toBe(join(parent, "a/b"));
    expect([join(parent, "a"), folder].map((path) => statSync(path).mode & 0o777)).toEqual([0o755, 0o755]);
  });

  test("usableFolder gives the same stand-in each time for a folder that cannot be used", () => {
    chmodSync(parent, 0o500);
    const standIn = usableFolder(join(parent, "a"));
    const again = usableFolder(join(parent, "a"));
    const other = usableFolder(join(parent, "b"));
    for (const folder of new Set([standIn, other])) rmSync(folder, { recursive: true });
    expect(standIn).not.toContain(parent);
    expect(again).toBe(standIn);
    expect(other).not.toBe(standIn);
  });
});
