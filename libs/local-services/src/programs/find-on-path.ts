import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first executable of this name in the folders of `path`, by default `$PATH`. */
export function findOnPath(name: string, path: string = process.env["PATH"] ?? ""): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
