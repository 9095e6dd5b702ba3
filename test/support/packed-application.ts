import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "./node-process.js";
import { HUNG_MS } from "./eventually.js";

const run = promisify(execFile);
const COMMAND_LIMITS = { timeout: 4 * HUNG_MS, maxBuffer: 16_000_000 };

/** The dependencies of an application besides our packages, in the versions that the install guide names. */
const BESIDE = [
  "@nestjs/common@12",
  "@nestjs/core@12",
  "@nestjs/platform-express@12",
  "@nestjs/swagger@12",
  "@nestjs/typeorm@12",
  "typeorm@1.1.1",
  "pg@8",
  "reflect-metadata@0.2",
  "rxjs@7",
  "typescript@6.0.3",
  "@types/node@20",
];
/** As `nest new` sets it, but strict and with the declarations of all packages checked. */
const COMPILER_OPTIONS = {
  target: "es2023",
  module: "nodenext",
  strict: true,
  skipLibCheck: false,
  types: ["node"],
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  rootDir: "src",
  outDir: "dist",
};
/** The Node that README recommends; a package of the registry for each platform brings it. */
const NEWER_NODE = `node-${process.platform}-${process.arch}@24.21.0`;

export type ModuleFormat = "module" | "commonjs";

/** An empty temporary folder, into which the packages are packed and installed as a user does it.
 */
export class PackedApplication {
  /** npm's output of the installation. */
  installLog = "";

  readonly folder = mkdtempSync(join(tmpdir(), "tickwheel-packed-"));

  /** All packages that are published: name and folder. */
  readonly packages = ["libs", "apps"]
    .flatMap((parent) => readdirSync(join(repositoryRoot, parent)).map((name) => join(parent, name)))
    .map((path) => ({ path, manifest: JSON.parse(readFileSync(join(repositoryRoot, path, "package.json"), "utf8")) }))
    .map(({ path, manifest }) => ({ path, ...(manifest as { name: string; private?: boolean }) }))
    .filter((own) => own.private !== true);

  async pack(): Promise<void> {
    mkdirSync(this.tarballs);
    const chosen = this.packages.map(({ path }) => `--workspace=${path}`);
    await this.npm(["pack", `--pack-destination=${this.tarballs}`, ...chosen], repositoryRoot);
  }

  /** The files of a package, as they are packed. */
  async filesOf(name: string): Promise<string[]> {
    const { stdout } = await run("tar", ["-tzf", join(this.tarballs, this.tarballOf(name))], COMMAND_LIMITS);
    return stdout
      .trim()
      .split("\n")
      .map((path) => path.replace(/^package\//, ""));
  }

  /** The packed packages, by their paths. */
  get packedFiles(): string[] {
    return this.packages.map(({ name }) => join(this.tarballs, this.tarballOf(name)));
  }

  /** Without overrides, without --legacy-peer-deps. */
  async install(): Promise<void> {
    writeFileSync(join(this.folder, "package.json"), '{ "name": "empty", "private": true }');
    this.installLog = await this.npm(["install", "--prefer-offline", ...this.packedFiles, ...BESIDE], this.folder);
  }

  /** @returns the program of the Node that README recommends */
  async newerNode(): Promise<string> {
    const folder = join(this.folder, "newer-node");
    mkdirSync(folder);
    await this.npm(["install", "--prefer-offline", "--prefix", folder, NEWER_NODE], folder);
    return join(folder, "node_modules", NEWER_NODE.split("@")[0]!, "bin/node");
  }

  /** Compiles sources, by their names. @returns the folder of what was built @throws with all that the compiler said */
  async compile(format: ModuleFormat, sources: Readonly<Record<string, string>>): Promise<string> {
    const folder = join(this.folder, format);
    mkdirSync(join(folder, "src"), { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: format }));
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ["src"] }),
    );
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, "src", name), text);
    const compiler = join(this.folder, "node_modules/typescript/bin/tsc");
    await run(process.execPath, [compiler, "-p", folder], COMMAND_LIMITS).catch((error: { stdout: string }) => {
      throw new Error(`tsc refuses the application:\n${error.stdout}`);
    });
    return join(folder, "dist");
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get tarballs(): string {
    return join(this.folder, "tarballs");
  }

  private tarballOf(name: string): string {
    const start = `${name.replace("@", "").replace("/", "-")}-`;
    const found = readdirSync(this.tarballs).find((file) => file.startsWith(start));
    if (found === undefined) throw new Error(`${name} was not packed`);
    return found;
  }

  private async npm(args: readonly string[], cwd: string): Promise<string> {
    const { stdout, stderr } = await run("npm", [...args, "--no-audit", "--no-fund"], { cwd, ...COMMAND_LIMITS });
    return stdout + stderr;
  }
}

/** The text that README writes into this file. */
export function readmeExample(file: string): string {
  const readme = readFileSync(join(repositoryRoot, "README.md"), "utf8");
  const [, behind] = readme.split(`cat > ${file} <<'END'\n`);
  if (behind === undefined) throw new Error(`README writes no ${file}`);
  return behind.slice(0, behind.indexOf("\nEND\n") + 1);
}
