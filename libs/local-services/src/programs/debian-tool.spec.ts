import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { describeTool, parsePrintedUris } from "./debian-tool.js";

describe("a private Debian package", () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "tickwheel-debian-"));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function put(path: string): string {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), "");
    return join(root, path);
  }

  test("names of missing Debian packages are read from what apt-get prints", () => {
    const printed = [
      "Reading package lists...",
      "After this operation, 1 B of additional disk space will be used.",
      "'http://deb.example/pool/r/redis/redis-tools_7.0_amd64.deb' redis-tools_5%3a7.0.15-1_amd64.deb 989 SHA256:ab",
      "'http://deb.example/pool/l/libx/libx1.2_1_all.deb' libx1.2_1_all.deb 1 MD5Sum:cd",
    ].join("\n");
    expect(parsePrintedUris(printed)).toEqual(["redis-tools", "libx1.2"]);
  });

  test("programs of a Debian package are found where Debian puts them, versioned Postgres too", () => {
    const server = put("usr/bin/redis-server");
    const initdb = put("usr/lib/postgresql/15/bin/initdb");
    const tool = describeTool("some", root);
    expect([tool.bin("redis-server"), tool.bin("initdb")]).toEqual([server, initdb]);
  });

  test("a program that is not in the Debian package is named", () => {
    expect(() => describeTool("some", root).bin("nothing")).toThrow(/some holds no program nothing/);
  });

  test("the environment of a Debian tool starts with the tool's folders", () => {
    put("usr/bin/some");
    put("usr/lib/x86_64-linux-gnu/pulseaudio/libpulsecommon.so");
    const { env } = describeTool("some", root);
    const libraries = join(root, "usr/lib/x86_64-linux-gnu");
    expect(env.PATH.split(":")[0]).toBe(join(root, "usr/bin"));
    expect(env.LD_LIBRARY_PATH.split(":").slice(0, 2)).toEqual([libraries, join(libraries, "pulseaudio")]);
  });
});
