import { join } from "node:path";
import { expect, test } from "@jest/globals";
import ts from "typescript";
import { root } from "./project-files.js";

/** The options that an editor shows, by the library that exports them. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  nestjs: [
    "DelayTaskModuleOptions",
    "DelayTaskHandlerOptions",
    "DelayedClientOptions",
    "DelayedEmitOptions",
    "DelayedPublishOptions",
    "TaskOptions",
    "TaskFilterInput",
    "JournalInput",
    "BackoffInput",
    "DeliverInput",
  ],
  api: ["DelayTaskApiOptions"],
};

const entries = Object.keys(OPTIONS).map((library) => join(root, "libs", library, "dist/index.d.ts"));
const program = ts.createProgram(entries, {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  skipLibCheck: true,
});
const checker = program.getTypeChecker();

/** Every option with the text that an editor shows. */
const options = Object.entries(OPTIONS).flatMap(([library, names]) => {
  const file = program.getSourceFile(join(root, "libs", library, "dist/index.d.ts"))!;
  const exported = new Map(
    checker.getExportsOfModule(checker.getSymbolAtLocation(file)!).map((symbol) => [symbol.name, symbol]),
  );
  return names.flatMap((name) =>
    checker
      .getDeclaredTypeOfSymbol(exported.get(name)!)
      .getProperties()
      .map((property) => ({
        option: `${name}.${property.name}`,
        text: ts.displayPartsToString(property.getDocumentationComment(checker)),
        isNumber: (checker.getNonNullableType(checker.getTypeOfSymbol(property)).flags & ts.TypeFlags.Number) !== 0,
      })),
  );
});

test("every option has a text, which names its default", () => {
  expect(options.length).toBeGreaterThan(80);
  expect(options.filter(({ text }) => !/\b(no )?default/i.test(text)).map(({ option }) => option)).toEqual([]);
});

test("every number among the options of a module names its two bounds", () => {
  const numbers = options.filter(({ option, isNumber }) => isNumber && /^DelayTask(Module|Api)Options/.test(option));
  expect(numbers.length).toBeGreaterThan(50);
  expect(numbers.filter(({ text }) => !/\b\d[\d,]*\s+to\s+\d[\d,]*/.test(text)).map(({ option }) => option)).toEqual(
    [],
  );
});

test("every option that is a duration names a unit, unless its name does", () => {
  const durations = options.filter(({ option }) => /\.(delay|timeout|startDeadline|maxWait)$/.test(option));
  const wanting = durations.filter(({ text }) => !/millisecond|\d+ (ms|s|h)\b|"\d+[smh]"|Of `fixed`/.test(text));
  expect(durations.length).toBeGreaterThan(5);
  expect(wanting.map(({ option }) => option)).toEqual([]);
});
