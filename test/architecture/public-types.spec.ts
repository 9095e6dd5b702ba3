import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import ts from "typescript";
import { root } from "./project-files.js";
import { WRONG_USES, WRONG_USES_PROLOGUE } from "./wrong-uses.js";

const RIGHT = join(root, "test/architecture/right-uses.ts");
/** Exists for the compiler alone. Each use is one line of it. */
const WRONG = join(root, "test/architecture/wrong-uses.generated.ts");

const uses = WRONG_USES.map(({ use }, index) => `export async function use${index}() { ${use} }`);
const wrongText = `${WRONG_USES_PROLOGUE.replaceAll("\n", " ")}\n${uses.join("\n")}\n`;

let rightMessages: string[];
/** What the compiler says, by the line; the first is the prologue. */
const wrongMessages = new Map<number, string[]>();

beforeAll(() => {
  const program = programOf({ ...ts.sys, ...withWrongUses() });
  rightMessages = messagesOf(program, RIGHT).map(({ line, text }) => `line ${line}: ${text}`);
  for (const { line, text } of messagesOf(program, WRONG)) {
    wrongMessages.set(line, [...(wrongMessages.get(line) ?? []), text]);
  }
});

/** The files of the machine, and the wrong uses among them. */
function withWrongUses(): Pick<ts.System, "fileExists" | "readFile"> {
  return {
    fileExists: (path) => path === WRONG || ts.sys.fileExists(path),
    readFile: (path, encoding) => (path === WRONG ? wrongText : ts.sys.readFile(path, encoding)),
  };
}

/** Compiled as the tests are: with the sources of all libraries. */
function programOf(system: ts.System): ts.Program {
  const config = join(root, "test/tsconfig.json");
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(config, system.readFile).config,
    system,
    join(root, "test"),
  );
  Object.assign(options, { noUnusedLocals: false, noUnusedParameters: false });
  const host = ts.createCompilerHost(options);
  Object.assign(host, { fileExists: system.fileExists, readFile: system.readFile });
  return ts.createProgram({ rootNames: [RIGHT, WRONG], options, host });
}

function messagesOf(program: ts.Program, path: string): { line: number; text: string }[] {
  const file = program.getSourceFile(path)!;
  const diagnostics = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  return diagnostics.map(({ start, messageText }) => ({
    line: file.getLineAndCharacterOfPosition(start!).line,
    text: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }));
}

test("the compiler takes every right use", () => {
  expect(rightMessages).toEqual([]);
  expect(wrongMessages.get(0)).toBeUndefined();
});

test.each(WRONG_USES.map(({ name, refusal }, index) => [name, { line: index + 1, refusal }] as const))(
  "the compiler refuses %s, at its line",
  (_name, { line, refusal }) => {
    expect((wrongMessages.get(line) ?? ["it is taken"]).join("\n")).toContain(refusal);
  },
);

test("every wrong use has a name of its own", () => {
  const names = WRONG_USES.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
