import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "./project-files.js";

/** Each setting that makes the compiler stricter, all of them together: what passes so passes with each alone. */
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUncheckedSideEffectImports: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
};

/** Types that applications give values of, by the door that exports them. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  "@tickwheel/nestjs": [
    "BackfillInput",
    "BackoffInput",
    "BatchFilterInput",
    "BatchOptions",
    "ClusterIntervalOptions",
    "CodeScheduleOptions",
    "DelayTaskHandlerOptions",
    "DelayTaskListenerOptions",
    "DelayTaskModuleAsyncOptions",
    "DelayTaskModuleOptions",
    "DelayedClientOptions",
    "DelayedEmitOptions",
    "DelayedPublishOptions",
    "DeliverInput",
    "JournalInput",
    "MemberFilterInput",
    "NewSchedule",
    "PreviewInput",
    "ScheduleFilterInput",
    "TaskOptions",
    "ScheduleRulesInput",
    "ScheduleRunsInput",
    "OccurrenceInput",
    "TaskChanges",
    "TaskDefaults",
    "TaskFilterInput",
    "TracingOptions",
  ],
  "@tickwheel/node": ["CodeIntervalOptions", "CreateNodeOptions", "HandlerOptions"],
  "@tickwheel/api": ["DelayTaskApiOptions"],
  "@tickwheel/testing/nest": ["DelayTaskTestingOptions"],
  "@tickwheel/simulation/nest": ["FaultKinds", "SimulatedClusterOptions"],
};

/** What of each type may be absent is given as undefined; the compiler names what refuses it. */
const USES = Object.entries(GIVEN).flatMap(([door, names]) => [
  `import type { ${names.join(", ")} } from "${door}";`,
  ...names.map((name) => `export const of${name} = (given: Undefined<${name}>): Partial<${name}> => given;`),
]);
const CONSUMER = `type Undefined<T> = { [K in keyof T as {} extends Pick<T, K> ? K : never]: undefined };\n${USES.join("\n")}\n`;

/** What the compiler says of the declaration files that are packed, and of a program that uses them. */
function complaints(): string[] {
  const results = join(root, "test/results");
  mkdirSync(results, { recursive: true });
  const folder = mkdtempSync(join(results, "strict-types-"));
  try {
    const compilerOptions = { ...STRICT, module: "nodenext", target: "es2023", noEmit: true, types: ["node"] };
    const files = ["consumer.ts", ...declarationFiles()];
    writeFileSync(join(folder, "consumer.ts"), CONSUMER);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    return linesOf(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The declarations of every door of every library that is published. */
function declarationFiles(): string[] {
  return readdirSync(join(root, "libs")).flatMap((library) => {
    const folder = join(root, "libs", library);
    const { private: isPrivate, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      private?: boolean;
      exports: Record<string, { types?: string }>;
    };
    if (isPrivate) return [];
    return Object.values(exports).flatMap(({ types }) => (types ? [join(folder, types)] : []));
  });
}

function linesOf(folder: string): string[] {
  try {
    execFileSync(process.execPath, [join(root, "node_modules/typescript-7/bin/tsc"), "-p", folder], {
      encoding: "utf8",
    });
    return [];
  } catch (error) {
    return String((error as { stdout?: string }).stdout)
      .trim()
      .split("\n");
  }
}

test("the packed declarations compile under every strict setting, and take undefined for what may be absent", () => {
  expect(declarationFiles().length).toBeGreaterThan(15);
  expect(complaints()).toEqual([]);
});
