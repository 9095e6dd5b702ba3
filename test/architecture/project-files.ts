import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The repository's folder. */
export const root = join(import.meta.dirname, "../..");

const notOurs = new Set(["node_modules", "dist", ".git", ".tickwheel", "results"]);

/** All files that people wrote under a folder of the repository, as paths from its root. */
export function filesUnder(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).filter(({ name }) => !notOurs.has(name));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

/** All TypeScript sources of libraries, applications and tests. */
export function typeScriptFiles(): string[] {
  return ["libs", "apps", "test"].flatMap(filesUnder).filter((path) => /\.tsx?$/.test(path));
}

/** All documents, those that git does not know yet too, as paths from the root. */
export function documentFiles(): string[] {
  const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"];
  return execFileSync("git", listed, { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((path) => path !== "" && existsSync(join(root, path)));
}

export function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

export interface PackageManifest {
  name: string;
  version: string;
  /** True: it is not published. */
  private?: boolean;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** A package of ours. */
export interface OwnPackage {
  /** From the root, like `libs/core`. */
  folder: string;
  manifest: PackageManifest;
}

/** All packages of the workspace. */
export function ownPackages(): OwnPackage[] {
  return ["libs", "apps"]
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(parent, name)))
    .concat("test/bench", "test/simulation")
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => ({ folder, manifest: JSON.parse(read(join(folder, "package.json"))) as PackageManifest }));
}

/** Runs a tool that may fail; gives all that it printed. */
export function outputOf(command: string[], cwd = root): string {
  const [file = "", ...options] = command;
  try {
    return execFileSync(file, options, {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 64 * 1024 * 1024,
      env: toolEnvironment(),
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return `${stdout ?? ""}${stderr ?? ""}`;
  }
}

/** oxlint looks for its type-aware part beside the linted folder, which a planted one does not have. */
function toolEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, OXLINT_TSGOLINT_PATH: join(root, "node_modules/.bin/tsgolint") };
}
