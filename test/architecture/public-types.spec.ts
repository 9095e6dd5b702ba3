import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { root } from "./project-files.js";
import { WRONG_USES, WRONG_USES_PROLOGUE } from "./wrong-uses.js";

const COMPILER = join(root, "node_modules/typescript/bin/tsc");
/** As strict as the tests are; the libraries' declarations are theirs to check. */
const compilerOptions = {
  noEmit: true,
  composite: false,
  declaration: false,
  declarationMap: false,
  incremental: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
  skipLibCheck: true,
};

/** What the compiler must take. */
const RIGHT = ["right-uses.ts", "right-types.ts"];

/** Each use is one line of it. */
const uses = WRONG_USES.map(({ use }, index) => `export async function use${index}() { ${use} }`);
const wrongText = `${WRONG_USES_PROLOGUE.replaceAll("\n", " ")}\n${uses.join("\n")}\n`;

const rightMessages: string[] = [];
/** What the compiler says, by the line; the first is the prologue. */
const wrongMessages = new Map<number, string[]>();

beforeAll(() => {
  for (const { file, line, text } of messages()) {
    if (RIGHT.includes(file)) rightMessages.push(`${file}, line ${line}: ${text}`);
    else wrongMessages.set(line - 1, [...(wrongMessages.get(line - 1) ?? []), text]);
  }
});

/** What the compiler says of both files, with the declarations that are packed. */
function messages(): { file: string; line: number; text: string }[] {
  const results = join(root, "test/results");
  mkdirSync(results, { recursive: true });
  const folder = mkdtempSync(join(results, "public-types-"));
  try {
    for (const file of RIGHT) cpSync(join(root, "test/architecture", file), join(folder, file));
    writeFileSync(join(folder, "wrong.ts"), wrongText);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const project = {
      extends: join(root, "tsconfig.base.json"),
      compilerOptions,
      files: [...RIGHT, "wrong.ts"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
    const { stdout } = spawnSync(process.execPath, [COMPILER, "--pretty", "false", "-p", folder], {
      cwd: folder,
      encoding: "utf8",
    });
    return messagesIn(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The lines below a message that begin with a space belong to it. */
function messagesIn(output: string): { file: string; line: number; text: string }[] {
  return output.split(/\n(?=\S)/).flatMap((message) => {
    const [, file, line, text] = /^(\S+)\((\d+),\d+\): ([^]*)$/.exec(message.trim()) ?? [];
    return file === undefined ? [] : [{ file, line: Number(line), text: text! }];
  });
}

test("the compiler takes every right use of the public types", () => {
  expect(rightMessages).toEqual([]);
  expect(wrongMessages.get(0)).toBeUndefined();
});

test.each(WRONG_USES.map(({ name, refusal }, index) => [name, { line: index + 1, refusal }] as const))(
  "the compiler refuses %s, at its line",
  (_name, { line, refusal }) => {
    expect((wrongMessages.get(line) ?? ["it is taken"]).join("\n")).toContain(refusal);
  },
);

test("every wrong use of the public types has a name of its own", () => {
  const names = WRONG_USES.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
