import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { libraries } from "./import-rules.mjs";
import { PlantedRepository } from "./planted-repository.js";
import { outputOf, ownPackages, read, root } from "./project-files.js";

interface Cruise {
  modules: { source: string; dependencies: { module: string; resolved: string }[] }[];
  summary: { violations: { from: string; to: string; rule: { name: string } }[] };
}

const cruiser = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");

function cruise(cwd: string, folders: string[]): Cruise {
  return JSON.parse(outputOf([process.execPath, cruiser, ...folders, "--output-type", "json"], cwd)) as Cruise;
}

function broken({ summary }: Cruise): string[] {
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`).sort();
}

describe("the sources", () => {
  const sources = cruise(root, ["libs/*/src", "apps/*/src", "test"]);

  test("the sources import only what the table of imports allows", () => {
    expect(sources.modules.length).toBeGreaterThan(20);
    expect(broken(sources)).toEqual([]);
  });

  test("the sources import only packages of ours that their own package.json and tsconfig.json name", () => {
    const undeclared = ownPackages().flatMap(({ folder, manifest }) => {
      const declared = { ...manifest.dependencies, ...manifest.peerDependencies };
      const names = importedOwnPackages(sources, folder).filter((name) => name !== manifest.name);
      const unnamed = names.filter((name) => declared[name] === undefined);
      const unreferenced = names.filter((name) => !isReferenced(folder, name));
      return [
        ...unnamed.map((name) => `${folder}: ${name}`),
        ...unreferenced.map((name) => `${folder} tsconfig: ${name}`),
      ];
    });
    expect(undeclared).toEqual([]);
  });

  test("the table of imports has one row for every library", () => {
    expect(Object.keys(libraries).sort()).toEqual(readdirSync(join(root, "libs")).sort());
  });

  test("the table of imports allows no cycle of libraries", () => {
    expect(Object.keys(libraries).filter((name) => reaches(name, name))).toEqual([]);
  });
});

function importedOwnPackages({ modules }: Cruise, folder: string): string[] {
  const own = modules.filter(
    ({ source }) => source.startsWith(`${folder}/`) && !/\.spec\.tsx?$|\/test-support\//.test(source),
  );
  const names = own.flatMap(({ dependencies }) => dependencies.map(({ module }) => module));
  return [...new Set(names.flatMap((name) => name.match(/^@tickwheel\/[^/]+/) ?? []))];
}

function isReferenced(folder: string, name: string): boolean {
  return read(`${folder}/tsconfig.json`).includes(`/${name.split("/")[1]}"`);
}

function reaches(from: string, to: string): boolean {
  const allowed = (libraries as Record<string, string[]>)[from] ?? [];
  return allowed.some((name) => name === to || reaches(name, to));
}

/** What is refused: a file, what it imports, and the rule that it breaks. */
const refused: Record<string, { file: string; target: string; breaks: string }> = {
  "a library that looks upwards": {
    file: "libs/core/src/up.ts",
    target: "@tickwheel/testing",
    breaks: "imports-of-core",
  },
  "a path into another package": {
    file: "libs/engine/src/deep.ts",
    target: "../../core/src/index.js",
    breaks: "by-package-name",
  },
  "a path into a package from a test": {
    file: "test/unit/deep.spec.ts",
    target: "../../libs/core/src/index.js",
    breaks: "by-package-name-in-tests",
  },
  "the testing library in an application": {
    file: "apps/demo/src/fake.ts",
    target: "@tickwheel/testing",
    breaks: "apps-without-testing",
  },
  "another application": { file: "apps/shop/src/main.ts", target: "../../demo/src/main.js", breaks: "apps-apart" },
  "I/O in a pure library": { file: "libs/core/src/files.ts", target: "node:fs/promises", breaks: "pure-libraries" },
  "a clock past the port": {
    file: "libs/engine/src/wait.ts",
    target: "node:timers/promises",
    breaks: "clock-only-by-port",
  },
  "a module that is not there": { file: "libs/engine/src/left.ts", target: "left-pad", breaks: "not-found" },
  "a spec file": { file: "libs/engine/src/of-spec.ts", target: "./plain.spec.js", breaks: "no-import-of-tests" },
  "a cycle": { file: "libs/engine/src/back.ts", target: "./there.js", breaks: "no-cycles" },
  "a room that looks at one below it": {
    file: "libs/engine/src/finding/peek.ts",
    target: "../claiming/claim.js",
    breaks: "room-libs/engine/src/finding",
  },
  "Node's modules in the filter's entry": {
    file: "libs/core/src/filter.ts",
    target: "./ids/random.js",
    breaks: "light-filter",
  },
  "a room that looks at its door": {
    file: "libs/engine/src/claiming/ring.ts",
    target: "../index.js",
    breaks: "room-libs/engine/src/claiming",
  },
};

describe("the import rules", () => {
  const planted = new PlantedRepository();
  let violations: string[];

  beforeAll(() => {
    planted.plantLibrary("core", {
      "index.ts": "export const one = 1;",
      "ids/random.ts": 'export * from "node:crypto";',
    });
    planted.plantLibrary("engine", {
      "index.ts": 'import { one } from "@tickwheel/core";\nexport const two = one + one;',
      "plain.spec.ts": 'export { three } from "@tickwheel/testing";',
      "there.ts": 'export * from "./back.js";',
      "README.md": [
        "| room | what it is |",
        ...["finding", "claiming", "."].map((room) => `| \`${room}\` | It. |`),
      ].join("\n"),
      "claiming/claim.ts": 'export * from "../finding/found.js";',
      "finding/found.ts": "export const found = 1;",
      "finding/types.ts": 'export type * from "../claiming/claim.js";',
    });
    planted.plantLibrary("testing", {
      "index.ts": "export const three = 3;",
      "type-only.ts": 'export type { App } from "@tickwheel/nestjs";',
    });
    planted.plantLibrary("nestjs", { "index.ts": "export interface App {}" });
    planted.write("apps/demo/src/main.ts", "export {};");
    for (const { file, target } of Object.values(refused)) planted.write(file, `export * from "${target}";`);
    violations = broken(cruise(planted.folder, ["libs/*/src", "apps/*/src", "test"]));
  });

  afterAll(() => planted.remove());

  test.each(Object.keys(refused))("the import rules refuse %s", (what) => {
    const { file, breaks } = refused[what] as { file: string; breaks: string };
    expect(violations).toContainEqual(expect.stringContaining(`${breaks}: ${file} -> `));
  });

  test("the import rules see an import of types too", () => {
    expect(violations).toContainEqual(expect.stringContaining("imports-of-testing: libs/testing/src/type-only.ts -> "));
    expect(violations).toContainEqual(
      expect.stringContaining("room-libs/engine/src/finding: libs/engine/src/finding/types.ts -> "),
    );
  });

  test("the import rules leave allowed imports alone", () => {
    const allowed = ["index.ts", "plain.spec.ts", "claiming/claim.ts"].map((file) => `libs/engine/src/${file} -> `);
    expect(violations.filter((violation) => allowed.some((path) => violation.includes(`: ${path}`)))).toEqual([]);
  });
});
