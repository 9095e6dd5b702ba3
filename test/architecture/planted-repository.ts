import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./project-files.js";

const configuration = [
  ".oxlintrc.json",
  ".dependency-cruiser.mjs",
  "tsconfig.base.json",
  "test/architecture/import-rules.mjs",
  "test/architecture/package-aliases.mjs",
];

/** A throw-away folder with this repository's configuration and the sources that a test plants in it. */
export class PlantedRepository {
  readonly folder = mkdtempSync(join(tmpdir(), "tickwheel-planted-"));

  constructor() {
    for (const path of configuration) cpSync(join(root, path), join(this.folder, path));
  }

  /** Adds a library with nothing but these files in its `src`. */
  plantLibrary(name: string, sources: Record<string, string>): void {
    this.write(`libs/${name}/package.json`, JSON.stringify({ name: `@tickwheel/${name}`, exports: exportsOfIndex }));
    for (const [file, text] of Object.entries(sources)) this.write(`libs/${name}/src/${file}`, text);
  }

  write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const exportsOfIndex = { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } };
