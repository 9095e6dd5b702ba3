import { fileURLToPath } from "node:url";

/**
 * The path of a file or folder of this package, relative to the module that asks. In a bundle nothing is there. Empty
 * where a bundle knows no place of its own (as CommonJS), which no file has either.
 *
 * @param moduleUrl the asking module's `import.meta.url`
 */
export function packagePath(moduleUrl: string | undefined, relative: string): string {
  return moduleUrl?.startsWith("file:") ? fileURLToPath(new URL(relative, moduleUrl)) : "";
}

/** What is said where files of a package are not there. */
export function filesAreMissing(name: string): string {
  return `${name} is not here: in a bundle, keep @tickwheel/* outside (external); in the repository, run npm run build.`;
}
