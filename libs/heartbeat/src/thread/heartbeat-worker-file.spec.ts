import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { heartbeatWorkerFile, lacksModule } from "./heartbeat-worker-file.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tickwheel-worker-file-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Makes an empty file. */
function put(...path: string[]): string {
  const file = join(folder, ...path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "");
  return file;
}

function found(module: string | null, program = join(folder, "elsewhere/main.js")): string {
  const moduleUrl = module === null ? undefined : pathToFileURL(join(folder, module)).href;
  return heartbeatWorkerFile({ moduleUrl, program });
}

describe("the program of the heartbeat's thread", () => {
  test("the program of the heartbeat's thread is the package's own", () => {
    const own = put("dist/heartbeat-worker.js");
    put("dist/heartbeat/tickwheel-heartbeat-worker.js");
    expect(found("dist/heartbeat/heartbeat-worker-file.js")).toBe(own);
  });

  test.each([".js", ".mjs", ".cjs"])("the program of the heartbeat's thread lies beside a bundle, as %s", (kind) => {
    const bundled = put(`bundle/tickwheel-heartbeat-worker${kind}`);
    expect(found("bundle/main.mjs")).toBe(bundled);
  });

  test("the heartbeat thread's program lies beside the program where a bundle as CommonJS knows no place of its own", () => {
    const bundled = put("bundle/tickwheel-heartbeat-worker.cjs");
    expect(found(null, join(folder, "bundle/main.cjs"))).toBe(bundled);
  });

  test("the program of the heartbeat's thread is no file of the application that has the package's name for it", () => {
    put("bundle/heartbeat-worker.js");
    expect(() => found("bundle/main.js")).toThrow(/not there/);
  });

  test.each(["bundle/main.js", null])(
    "a program of the heartbeat's thread that is not there says what to do: of %s",
    (module) => {
      expect(() => found(module)).toThrow(
        expect.objectContaining({
          code: "CONFIGURATION_INVALID",
          message: expect.stringContaining('heartbeat: "loop"'),
        }),
      );
    },
  );

  test("the program of the heartbeat's thread is not there for code that no file holds", () => {
    expect(() => heartbeatWorkerFile({ moduleUrl: "data:text/javascript,", program: undefined })).toThrow(/not there/);
  });
});

test("a heartbeat thread that lacks a module is told from one that failed otherwise", () => {
  const codes = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND", "ECONNREFUSED", undefined];
  expect(codes.map((code) => lacksModule(Object.assign(new Error(), { code })))).toEqual([true, true, false, false]);
  expect([null, undefined, "text"].map(lacksModule)).toEqual([false, false, false]);
});
