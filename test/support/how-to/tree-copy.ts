import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../node-process.js";

/** Ignored by git, by the linter and by the runner. On the tree's own disk, so that packages can be linked. */
const PARENT = join(repositoryRoot, "test/results/how-to");
const AUTHOR = ["-c", "user.name=copy", "-c", "user.email=copy@localhost"];

/** A copy of the tree as it is now, with its packages and what is built, in which a change can be tried. */
export class TreeCopy {
  private constructor(private readonly folder: string) {}

  static make(): TreeCopy {
    mkdirSync(PARENT, { recursive: true });
    const folder = mkdtempSync(join(PARENT, "tree-"));
    for (const path of filesOf(repositoryRoot)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(join(repositoryRoot, path), join(folder, path));
    }
    // Links cost neither time nor room. What is built is copied, since the compiler writes into the same files.
    execFileSync("cp", ["-al", join(repositoryRoot, "node_modules"), join(folder, "node_modules")]);
    for (const path of builtFolders()) cpSync(join(repositoryRoot, path), join(folder, path), { recursive: true });
    const copy = new TreeCopy(folder);
    copy.git("init", "--quiet");
    copy.git("add", "--all");
    copy.git(...AUTHOR, "commit", "--quiet", "--message", "as it was");
    return copy;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  patch(file: string): void {
    this.git("apply", file);
  }

  /** Paths that differ from what was copied, sorted. */
  changed(): string[] {
    const lines = this.git("status", "--porcelain", "--untracked-files=all").split("\n").filter(Boolean);
    return lines.map((line) => line.slice(3)).toSorted();
  }

  /** Builds as far as it goes: enough to generate. */
  prepare(): void {
    this.failureOf("node", "node_modules/typescript-7/bin/tsc", "-b");
  }

  build(): void {
    const failure = this.failureOf("node", "test/runner/build.mjs");
    if (failure !== null) throw new Error(failure);
  }

  /** Runs a command as a shell does. */
  shell(command: string): void {
    execFileSync("sh", ["-c", command], { cwd: this.folder, stdio: "ignore" });
  }

  generate(): void {
    execFileSync("node", ["test/runner/generate.mjs"], { cwd: this.folder });
  }

  /** @param what `types`, or the path of a spec @returns `green`, or the end of what was printed */
  run(what: string): string {
    if (what === "types") return this.failureOf("node", "node_modules/typescript-7/bin/tsc", "-b") ?? "green";
    this.build();
    return this.failureOf("npm", "run", "--silent", "test:one", "--", what) ?? "green";
  }

  /** Puts these files back as they were. @returns puts them as they are now */
  forget(paths: readonly string[]): () => void {
    const now = paths.map((path) => [path, readFileSync(join(this.folder, path), "utf8")] as const);
    for (const path of paths) {
      if (this.isTracked(path)) this.git("checkout", "--quiet", "--", path);
      else rmSync(join(this.folder, path));
    }
    return () => {
      for (const [path, text] of now) writeFileSync(join(this.folder, path), text);
    };
  }

  private isTracked(path: string): boolean {
    return this.git("ls-files", "--", path) !== "";
  }

  /** Null: it ended well. */
  private failureOf(command: string, ...words: string[]): string | null {
    const { status, stdout, stderr } = spawnSync(command, words, { cwd: this.folder, encoding: "utf8" });
    return status === 0 ? null : `${stdout}${stderr}`.slice(-2_000);
  }

  private git(...words: string[]): string {
    return execFileSync("git", words, { cwd: this.folder, encoding: "utf8" });
  }
}

function filesOf(root: string): string[] {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  return listed.split("\n").filter((path) => path !== "" && existsSync(join(root, path)));
}

function builtFolders(): string[] {
  const manifests = filesOf(repositoryRoot).filter((path) => path.endsWith("/package.json"));
  return manifests.map((path) => join(dirname(path), "dist")).filter((path) => existsSync(join(repositoryRoot, path)));
}
