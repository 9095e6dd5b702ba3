import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { isKnown, readPageFiles, takesGzip, withHashedNames } from "./page-files.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwheel-page-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("files of pages are found by their path, with their content type; files with a hashed name never change", async () => {
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<p>");
  await writeFile(join(folder, "assets/main-1.js"), "1");
  const files = await readPageFiles(folder);
  expect(Object.fromEntries(files)).toMatchObject({
    "index.html": { body: Buffer.from("<p>"), contentType: "text/html; charset=utf-8", isImmutable: false },
    "assets/main-1.js": { body: Buffer.from("1"), contentType: "text/javascript; charset=utf-8", isImmutable: true },
  });
  expect(files.size).toBe(2);
});

test("a page's file is compressed once, where that makes it shorter", async () => {
  const long = "x".repeat(10_000);
  await writeFile(join(folder, "long.js"), long);
  await writeFile(join(folder, "short.js"), "1");
  const files = await readPageFiles(folder);
  expect(gunzipSync(files.get("long.js")!.gzipped!).toString()).toBe(long);
  expect(files.get("short.js")!.gzipped).toBeNull();
});

test("a page whose files are named by their content names them so, and another content has another name", async () => {
  await writeFile(join(folder, "index.html"), '<script src="./main.js"></script>');
  const names: string[] = [];
  for (const content of ["1", "2"]) {
    await writeFile(join(folder, "main.js"), content);
    const files = await withHashedNames(await readPageFiles(folder));
    const [, name] = /"\.\/([^"]+)"/.exec(files.get("index.html")!.body.toString())!;
    expect(name).toMatch(/^main-[0-9a-f]{16}\.js$/);
    expect(files.get(name!)).toMatchObject({ body: Buffer.from(content), isImmutable: true });
    expect([files.size, files.get("index.html")!.isImmutable]).toEqual([2, false]);
    names.push(name!);
  }
  expect(new Set(names).size).toBe(2);
});

test.each([
  ["gzip, deflate, br", true],
  ["br;q=1.0, GZIP;q=0.5", true],
  ["*", true],
  ["gzip;q=0, *", false],
  ["gzip; q=0.000", false],
  ["identity", false],
  ["", false],
  [undefined, false],
])("Accept-Encoding %p takes gzip: %p", (header, takes) => {
  expect(takesGzip(header)).toBe(takes);
});

test("a file that a client has is known by its tag, strong or weak, and among other tags", async () => {
  await writeFile(join(folder, "main.js"), "1");
  const file = (await readPageFiles(folder)).get("main.js")!;
  const tags = [file.etag, file.etag.slice(2), `"other", ${file.etag}`, "*", '"other"', undefined];
  expect(tags.map((tag) => isKnown(tag, file))).toEqual([true, true, true, true, false, false]);
});

test("a file of no known kind is not served", async () => {
  await writeFile(join(folder, ".env"), "SECRET=1");
  await writeFile(join(folder, "notes.txt"), "x");
  expect(await readPageFiles(folder)).toEqual(new Map());
});

test("a folder that does not exist holds no files", async () => {
  expect(await readPageFiles(join(folder, "missing"))).toEqual(new Map());
});
