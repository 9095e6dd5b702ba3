import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TickwheelError } from "@tickwheel/core";

/** What a bundle calls the program that it made of the entry `@tickwheel/nestjs/heartbeat-worker`. */
export const BUNDLED_WORKER_NAME = "tickwheel-heartbeat-worker";

const EXTENSIONS = [".js", ".mjs", ".cjs"];

const WAYS_OUT =
  'set heartbeat: "loop", or keep @tickwheel/* outside of the bundle (external), ' +
  `or bundle @tickwheel/nestjs/heartbeat-worker as ${BUNDLED_WORKER_NAME}.js beside the application's file`;

/** Where this code and the process were started from. */
export interface Whereabouts {
  /** `import.meta.url`; a bundle has its own place there, or none as CommonJS. */
  moduleUrl: string | undefined;
  /** The process's first program, by its path. */
  program: string | undefined;
}

/**
 * The file that the heartbeat's thread runs. It is a program of its own, which no bundler sees: in a bundle it must lie
 * beside the application's file, under a name of its own.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` when there is none
 */
export function heartbeatWorkerFile(from: Whereabouts = here()): string {
  const found = candidates(from).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new TickwheelError(
    "CONFIGURATION_INVALID",
    `The node cannot start: the program of the heartbeat's thread is not there, as in a bundle: ${WAYS_OUT}.`,
  );
}

/** Whether a thread ended because its program, or a package that this imports, is not there. */
export function lacksModule(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}

/** What to do about a thread that ended so. */
export const WORKER_LACKS_MODULE = `The heartbeat's thread cannot be loaded, as in a bundle without its parts, so this node cannot join: ${WAYS_OUT}`;

function here(): Whereabouts {
  return { moduleUrl: import.meta.url as string | undefined, program: process.argv[1] };
}

function candidates({ moduleUrl, program }: Whereabouts): string[] {
  const module = moduleUrl?.startsWith("file:") ? dirname(fileURLToPath(moduleUrl)) : null;
  const folders = [module, program === undefined ? null : dirname(program)].filter((folder) => folder !== null);
  const bundled = folders.flatMap((folder) => EXTENSIONS.map((kind) => join(folder, BUNDLED_WORKER_NAME + kind)));
  return module === null ? bundled : [join(module, "../heartbeat-worker.js"), ...bundled];
}
