import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { findPostmaster, isPostmasterOf, parsePostmasterPid } from "./postmaster-pid.js";

const READY = ["4711", "/srv/data", "1795256000", "15432", "", "127.0.0.1", "  1234567        42", "ready   ", ""];

describe("postmaster.pid", () => {
  test("postmaster.pid tells of a server that takes connections", () => {
    expect(parsePostmasterPid(READY.join("\n"))).toEqual({
      pid: 4711,
      dataDirectory: "/srv/data",
      port: 15432,
      isReady: true,
    });
  });

  test.each([
    ["is starting", READY.with(7, "starting")],
    ["is stopping", READY.with(7, "stopping")],
    ["has not written its status yet", READY.slice(0, 5)],
  ])("postmaster.pid tells of a server that %s", (_case, lines) => {
    expect(parsePostmasterPid(lines.join("\n"))).toMatchObject({ pid: 4711, isReady: false });
  });

  test.each(["", "\n", "-1\n/srv/data", "garbage"])("a postmaster.pid that is broken gives nothing: %j", (text) => {
    expect(parsePostmasterPid(text)).toBeUndefined();
  });

  test("only a server of this very data folder is its postmaster", () => {
    expect(isPostmasterOf("/srv/data", ["/opt/bin/postgres", "-D", "/srv/data", "-c", "port=1"])).toBe(true);
    expect(isPostmasterOf("/srv/data", ["/opt/bin/postgres", "-D", "/srv/other"])).toBe(false);
    expect(isPostmasterOf("/srv/data", ["grep", "-D", "/srv/data"])).toBe(false);
    expect(isPostmasterOf("/srv/data", [])).toBe(false);
  });
});

describe("the server of a data folder", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tickwheel-pid-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("the server of a data folder is not another program that was given its pid", () => {
    writeFileSync(join(folder, "postmaster.pid"), READY.with(0, String(process.pid)).with(1, folder).join("\n"));
    expect(findPostmaster(folder)).toBeUndefined();
  });

  test("the server of a data folder is not there without a pid file", () => {
    expect(findPostmaster(folder)).toBeUndefined();
  });
});
