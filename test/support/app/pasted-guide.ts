import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../node-process.js";

export const NEST_GUIDE = "docs/guides/nest.md";

/** A block of a guide; its first line is a comment that names its file. */
export interface GuideBlock {
  file: string;
  text: string;
}

/** All blocks of a guide that are in one of these languages, in their order. */
export function guideBlocks(guide: string, languages: readonly string[]): GuideBlock[] {
  const fences = readFileSync(join(repositoryRoot, guide), "utf8").matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...fences]
    .filter(([, language]) => languages.includes(language!))
    .map(([, , text]) => {
      const file = /^(?:\/\/|#) (\S+)\n/.exec(text!)?.[1];
      if (!file) throw new Error(`${guide} has a block whose first line names no file:\n${text}`);
      return { file, text: text! };
    });
}

/** The TypeScript blocks of the guide, written into the files that they name, in a folder with the packages of ours. */
export class PastedGuide {
  readonly folder = mkdtempSync(join(tmpdir(), "tickwheel-guide-"));
  readonly blocks = guideBlocks(NEST_GUIDE, ["ts"]);

  constructor() {
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

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
