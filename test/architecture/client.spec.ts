import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { read, root, typeScriptFiles } from "./project-files.js";

const sources = typeScriptFiles().filter((path) => path.startsWith("libs/client/src/") && !path.endsWith(".spec.ts"));

test("the client imports nothing but its own files", () => {
  expect(sources.length).toBeGreaterThan(5);
  const foreign = sources.flatMap((path) =>
    [...read(path).matchAll(/\bfrom "([^"]+)"|\bimport\(|\brequire\(/g)]
      .filter(([, door]) => !door?.startsWith("./"))
      .map(([text]) => `${path}: ${text}`),
  );
  expect(foreign).toEqual([]);
  const { dependencies, peerDependencies } = JSON.parse(read("libs/client/package.json")) as Record<string, unknown>;
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
});

test("the client is compiled without the types of Node", () => {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "libs/client/tsconfig.json"), "utf8")) as {
    compilerOptions: { types: string[]; lib: string[] };
  };
  expect(compilerOptions.types).toEqual([]);
  expect(compilerOptions.lib).toContain("dom");
});

test("the client names no global that browsers and edge runtimes lack", () => {
  const ofNode =
    /(?<![."'`\w])(?:Buffer|process|global|setImmediate|__dirname|require|window|document|localStorage)(?=[.([])/;
  expect(sources.filter((path) => ofNode.test(read(path)))).toEqual([]);
});
