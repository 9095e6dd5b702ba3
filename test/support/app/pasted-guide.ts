import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { HUNG_MS } from "../eventually.js";
import { repositoryRoot } from "../node-process.js";

export const NEST_GUIDE = "docs/guides/nest.md";
export const SCHEDULES_GUIDE = "docs/guides/schedules.md";

/** A block of a guide; its first line is a comment that names its file. */
export interface GuideBlock {
  file: string;
  text: string;
}

/** All that a guide has between fences, in its order. */
export function guideFences(guide: string): { language: string; text: string }[] {
  const fences = readFileSync(join(repositoryRoot, guide), "utf8").matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...fences].map(([, language, text]) => ({ language: language!, text: text! }));
}

/** All blocks of a guide that are in one of these languages, in their order. */
export function guideBlocks(guide: string, languages: readonly string[]): GuideBlock[] {
  return guideFences(guide)
    .filter(({ language }) => languages.includes(language))
    .map(({ text }) => {
      const file = /^(?:\/\/|#) (\S+)\n/.exec(text)?.[1];
      if (!file) throw new Error(`${guide} has a block whose first line names no file:\n${text}`);
      return { file, text };
    });
}

/** Those of the guide to start. */
const COMPILER_OPTIONS = {
  target: "es2023",
  module: "nodenext",
  strict: true,
  skipLibCheck: true,
  types: ["node"],
  rootDir: "src",
  outDir: "dist",
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
};

/** The TypeScript blocks of a guide, written into the files that they name, in a folder with the packages of ours. */
export class PastedGuide {
  readonly folder = mkdtempSync(join(tmpdir(), "tickwheel-guide-"));
  readonly blocks: readonly GuideBlock[];

  /** @param guide null: the folder is empty, and the test writes what it wants */
  constructor(guide: string | null) {
    this.blocks = guide === null ? [] : guideBlocks(guide, ["ts"]);
    for (const { file, text } of this.blocks) this.write(file, text);
    this.write("package.json", JSON.stringify({ name: "shop", type: "module" }));
    symlinkSync(join(repositoryRoot, "node_modules"), join(this.folder, "node_modules"));
  }

  write(file: string, text: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** What the block of this file exports. `Exports` is the test's word for it: nothing checks it. */
  async load<Exports>(file: string): Promise<Exports> {
    return (await import(join(this.folder, file))) as Exports;
  }

  /**
   * Compiles all blocks strictly into `dist`, against the built packages.
   *
   * @returns what the compiler complains about
   */
  async compile(paths: Readonly<Record<string, string[]>> = {}): Promise<string> {
    this.write("tsconfig.json", JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, paths }, include: ["src"] }));
    const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc");
    return promisify(execFile)(process.execPath, [compiler, "-p", this.folder], { timeout: HUNG_MS }).then(
      () => "",
      ({ stdout, message }: { stdout: string; message: string }) => stdout || message,
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
