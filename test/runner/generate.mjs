// Writes the files that are made of the contract and of the catalogues. `node test/runner/generate.mjs`, after a build.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { madeFiles } from "./made-files.mjs";

const root = join(import.meta.dirname, "../..");
for (const [path, text] of Object.entries(madeFiles())) {
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`written: ${path}`);
}
