import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { withLock } from "../folders/file-lock.js";
import { cacheFolder } from "../folders/folders.js";
import { LocalServiceError } from "../processes/local-service-error.js";

/** Programs of a Debian package, installed or unpacked privately: nothing on the system was changed. */
export interface DebianTool {
  /** The folder that stands for `/` in the unpacked packages; `/` itself when the package is installed. */
  readonly root: string;
  /** `PATH` and `LD_LIBRARY_PATH` with the tool's folders in front. */
  readonly env: { PATH: string; LD_LIBRARY_PATH: string };
  /** The path of a program of the tool; throws `TOOL_UNAVAILABLE` when there is none of this name. */
  readonly bin: (name: string) => string;
}

const run = promisify(execFile);
/** A browser is 124 MB; a slow line is given its time, a dead one is not. */
const COMMAND_LIMIT_MS = 15 * 60_000;
const ATTEMPTS = 2;

/**
 * Unpacks a Debian package with everything this machine lacks for it into the user's cache, once; needs `apt-get` and
 * `dpkg-deb`, but neither root nor package lists. Safe when several processes ask at once.
 * @param name a package name, such as `redis-server`, `spin`, `chromium`, `postgresql-15`, `prometheus`, `faketime`
 * @throws LocalServiceError `TOOL_UNAVAILABLE`, after a second attempt
 */
export async function debianTool(name: string): Promise<DebianTool> {
  if (await isInstalled(name)) return describeTool(name, "/");
  const cache = join(cacheFolder(), "debian");
  const root = join(cache, name);
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  if (!existsSync(root)) {
    await withLock(
      join(cache, `${name}.lock`),
      async () => {
        if (!existsSync(root)) await unpackWithRetry(name, root);
      },
      { limitMs: 2 * COMMAND_LIMIT_MS },
    );
  }
  return describeTool(name, root);
}

async function isInstalled(name: string): Promise<boolean> {
  try {
    const { stdout } = await run("dpkg-query", ["-W", "-f", "${db:Status-Status}", name]);
    return stdout === "installed";
  } catch {
    return false;
  }
}

/** How the programs under `root` are found and run. */
export function describeTool(name: string, root: string): DebianTool {
  const binFolders = programFolders(root);
  const env = {
    PATH: prepend(binFolders, process.env["PATH"]),
    LD_LIBRARY_PATH: prepend(root === "/" ? [] : libraryFolders(root), process.env["LD_LIBRARY_PATH"]),
  };
  const bin = (program: string): string => {
    const found = binFolders.map((folder) => join(folder, program)).find((file) => existsSync(file));
    if (found) return found;
    throw new LocalServiceError("TOOL_UNAVAILABLE", `Debian's package ${name} holds no program ${program} in ${root}`);
  };
  return { root, env, bin };
}

function programFolders(root: string): string[] {
  const versions = join(root, "usr/lib/postgresql");
  const postgres = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, "bin")) : [];
  const standard = ["usr/bin", "usr/sbin", "bin", "sbin", "usr/games"].map((folder) => join(root, folder));
  return [...postgres, ...standard].filter((folder) => existsSync(folder));
}

/** The libraries' folders: one per architecture triplet, and those of packages that keep libraries of their own. */
function libraryFolders(root: string): string[] {
  return ["usr/lib", "lib"]
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => {
      const triplets = readdirSync(folder).filter((entry) => /-linux-gnu\w*$/.test(entry));
      return [...triplets.flatMap((triplet) => [triplet, `${triplet}/pulseaudio`]), "chromium"].map((entry) =>
        join(folder, entry),
      );
    })
    .filter((folder) => existsSync(folder));
}

function prepend(folders: string[], existing = ""): string {
  return [...folders, ...existing.split(delimiter)].filter((folder) => folder !== "").join(delimiter);
}

async function unpackWithRetry(name: string, root: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await unpack(name, root);
      return;
    } catch (cause) {
      if (attempt < ATTEMPTS) continue;
      const details = (cause as { stderr?: string }).stderr || String(cause);
      const advice = `Install it (\`sudo apt-get install ${name}\`) or check the network.`;
      const message = `Debian's package ${name} could not be unpacked. ${advice}\n${details.trim()}`;
      throw new LocalServiceError("TOOL_UNAVAILABLE", message, { cause, details });
    }
  }
}

/** Works in a draft folder and renames at the end, so that `root` is complete whenever it exists. */
async function unpack(name: string, root: string): Promise<void> {
  const draft = mkdtempSync(`${root}.new-`);
  try {
    const apt = new PrivateApt(draft);
    await apt.update();
    const unpacked = join(draft, "root");
    mkdirSync(unpacked, { mode: 0o755 });
    for (const archive of await apt.download(await apt.missingPackages(name))) {
      await run("dpkg-deb", ["-x", archive, unpacked], { timeout: COMMAND_LIMIT_MS });
    }
    renameSync(unpacked, root);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * `apt-get` with lists and archives in a folder of its own; it reads the system's sources and package states, and
 * writes nothing there.
 */
class PrivateApt {
  readonly #options: string[];
  readonly #archives: string;

  constructor(folder: string) {
    const lists = join(folder, "lists");
    const cache = join(folder, "cache");
    this.#archives = join(folder, "archives");
    mkdirSync(join(lists, "partial"), { recursive: true });
    mkdirSync(join(cache, "archives/partial"), { recursive: true });
    mkdirSync(this.#archives);
    this.#options = [
      `Dir::State::lists=${lists}`,
      `Dir::Cache=${cache}`,
      "Dir::State::status=/var/lib/dpkg/status",
      "Debug::NoLocking=1",
      "APT::Sandbox::User=",
      "Acquire::Languages=none",
      "APT::Update::Error-Mode=any",
    ].flatMap((option) => ["-o", option]);
  }

  async update(): Promise<void> {
    await this.apt(["update"]);
  }

  /** The package and those of its dependencies that this machine lacks. */
  async missingPackages(name: string): Promise<string[]> {
    const printed = await this.apt(["install", "--print-uris", "-y", "--no-install-recommends", name]);
    return parsePrintedUris(printed);
  }

  /** @returns the paths of the downloaded archives */
  async download(packages: string[]): Promise<string[]> {
    await this.apt(["download", ...packages]);
    return readdirSync(this.#archives).map((file) => join(realpathSync(this.#archives), file));
  }

  private async apt(args: string[]): Promise<string> {
    const options = { cwd: this.#archives, timeout: COMMAND_LIMIT_MS, maxBuffer: 1 << 26 };
    const { stdout } = await run("apt-get", ["-q", ...this.#options, ...args], options);
    return stdout;
  }
}

/** Package names of lines such as `'http://…/redis-tools_7.0_amd64.deb' redis-tools_5%3a7.0_amd64.deb 989 SHA256:…`. */
export function parsePrintedUris(printed: string): string[] {
  return [...printed.matchAll(/^'[^']+' ([^_\s]+)_\S+\.deb /gm)].map(([, name]) => name!);
}
