// Writes the files that are made of the contract. `node test/runner/generate.mjs`, after a build.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generatedFiles } from "@tickwheel/contract/documents";

const root = join(import.meta.dirname, "../..");
for (const [path, text] of Object.entries(generatedFiles())) {
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`written: ${path}`);
}
