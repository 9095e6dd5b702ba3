import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "./node-process.js";
import { HUNG_MS } from "./eventually.js";

const run = promisify(execFile);
const COMMAND_LIMITS = { timeout: 4 * HUNG_MS, maxBuffer: 16_000_000 };

/** The majors of Nest that our packages take. */
export type NestMajor = 11 | 12;

const NEST_PACKAGES = ["common", "core", "platform-express", "swagger", "typeorm"];
/** What an application needs besides our packages and Nest's, in the versions that the install guide names. */
const BESIDE = ["typeorm@1.1.1", "pg@8", "reflect-metadata@0.2", "rxjs@7", "typescript@6.0.3", "@types/node@20"];
/** With Nest 11 come the clients of its time: ours take either major of both. */
const OF_ITS_TIME: Record<NestMajor, readonly string[]> = { 11: ["ioredis@5", "@nestjs/schedule@6"], 12: [] };
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
/** The Node that the guide to start recommends; a package of the registry for each platform brings it. */
const NEWER_NODE = `node-${process.platform}-${process.arch}@24.21.0`;

export type ModuleFormat = "module" | "commonjs";

/** What a bundle leaves outside: what has optional parts that no bundler finds. Our packages are within. */
const OUTSIDE = ["@nestjs/*", "typeorm", "pg", "reflect-metadata", "rxjs"];
/** For packages within that are CommonJS: a module has no `require` of its own. */
const REQUIRE =
  'import { createRequire as requireOf } from "node:module"; globalThis.require ??= requireOf(import.meta.url);';

/** Which application: the major of Nest, and what it is compiled to. */
export interface ApplicationKind {
  nest: NestMajor;
  format: ModuleFormat;
}

/** A temporary folder, in which the packages are packed, and installed into empty applications as a user does it. */
export class PackedApplication {
  /** npm's output of all installations. */
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
    await run(process.execPath, [join(repositoryRoot, "test/runner/build.mjs")], COMMAND_LIMITS);
    const env = { TICKWHEEL_IS_BUILT: "1" };
    await this.npm(["pack", `--pack-destination=${this.tarballs}`, ...chosen], repositoryRoot, env);
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
  async install(nest: NestMajor): Promise<void> {
    const folder = this.installation(nest);
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), '{ "name": "empty", "private": true }');
    const names = [...NEST_PACKAGES.map((name) => `@nestjs/${name}@${nest}`), ...BESIDE, ...OF_ITS_TIME[nest]];
    this.installLog += await this.npm(["install", "--prefer-offline", ...this.packedFiles, ...names], folder);
  }

  /** @returns the program of the Node that the guide to start recommends */
  async newerNode(): Promise<string> {
    const folder = join(this.folder, "newer-node");
    mkdirSync(folder);
    await this.npm(["install", "--prefer-offline", "--prefix", folder, NEWER_NODE], folder);
    return join(folder, "node_modules", NEWER_NODE.split("@")[0]!, "bin/node");
  }

  /** Compiles sources, by their names. @returns the folder of what was built @throws with all that the compiler said */
  async compile({ nest, format }: ApplicationKind, sources: Readonly<Record<string, string>>): Promise<string> {
    const folder = join(this.installation(nest), format);
    mkdirSync(join(folder, "src"), { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: format }));
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ["src"] }),
    );
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, "src", name), text);
    const compiler = join(this.installation(nest), "node_modules/typescript/bin/tsc");
    await run(process.execPath, [compiler, "-p", folder], COMMAND_LIMITS).catch((error: { stdout: string }) => {
      throw new Error(`tsc refuses the application:\n${error.stdout}`);
    });
    return join(folder, "dist");
  }

  /**
   * Bundles programs that were compiled as modules, with our packages in them.
   *
   * @param entries what each is made of: a path or a package's entry, by the name of its file
   * @returns the folder of the bundles
   */
  async bundle({ nest, format }: ApplicationKind, entries: Readonly<Record<string, string>>): Promise<string> {
    const folder = join(this.installation(nest), `bundle-${format}-${Object.keys(entries).length}`);
    const isModule = format === "module";
    const options = [
      "--bundle",
      "--minify",
      "--platform=node",
      "--target=node20",
      "--log-level=error",
      `--outdir=${folder}`,
    ];
    options.push(`--format=${isModule ? "esm" : "cjs"}`, `--out-extension:.js=${isModule ? ".mjs" : ".cjs"}`);
    options.push(...OUTSIDE.map((name) => `--external:${name}`), ...(isModule ? [`--banner:js=${REQUIRE}`] : []));
    const programs = Object.entries(entries).map(([name, entry]) => `${name}=${entry}`);
    const bundler = join(repositoryRoot, "node_modules/.bin/esbuild");
    await run(bundler, [...options, ...programs], { cwd: this.installation(nest), ...COMMAND_LIMITS });
    return folder;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private installation(nest: NestMajor): string {
    return join(this.folder, `nest-${nest}`);
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

  private async npm(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const options = { cwd, env: { ...process.env, ...env }, ...COMMAND_LIMITS };
    const { stdout, stderr } = await run("npm", [...args, "--no-audit", "--no-fund"], options);
    return stdout + stderr;
  }
}

/** The text that the guide to start writes into this file. */
export function startExample(file: string): string {
  const guide = readFileSync(join(repositoryRoot, "docs/guides/start.md"), "utf8");
  const [, behind] = guide.split(`cat > ${file} <<'END'\n`);
  if (behind === undefined) throw new Error(`The guide to start writes no ${file}`);
  return behind.slice(0, behind.indexOf("\nEND\n") + 1);
}
