import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { readPageFiles } from "./page-files.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwheel-page-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("files are found by their path, with their content type; hashed ones never change", async () => {
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<p>");
  await writeFile(join(folder, "assets/main-1.js"), "1");
  const files = await readPageFiles(folder);
  expect(Object.fromEntries(files)).toEqual({
    "index.html": { body: Buffer.from("<p>"), contentType: "text/html; charset=utf-8", isImmutable: false },
    "assets/main-1.js": { body: Buffer.from("1"), contentType: "text/javascript; charset=utf-8", isImmutable: true },
  });
});

test("a file of no known kind is not served", async () => {
  await writeFile(join(folder, ".env"), "SECRET=1");
  await writeFile(join(folder, "notes.txt"), "x");
  expect(await readPageFiles(folder)).toEqual(new Map());
});

test("a folder that does not exist holds no files", async () => {
  expect(await readPageFiles(join(folder, "missing"))).toEqual(new Map());
});
