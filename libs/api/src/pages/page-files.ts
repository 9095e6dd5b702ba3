import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

/** A file of the page, ready to be sent. */
export interface PageFile {
  body: Buffer;
  contentType: string;
  /** Its name changes with its content. */
  isImmutable: boolean;
}

const CONTENT_TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/**
 * All files below a folder, by their path with `/`, read into memory once: a request is looked up by its name, so that no path can lead
 * outside. Empty where the folder does not exist.
 *
 * @param only the names of those that are wanted; default all
 */
export async function readPageFiles(folder: string, only?: readonly string[]): Promise<Map<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter(
    (entry) => entry.isFile() && extname(entry.name) in CONTENT_TYPES && (only?.includes(entry.name) ?? true),
  );
  const loaded = files.map(async (entry): Promise<[string, PageFile]> => {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).split(sep).join("/");
    const contentType = CONTENT_TYPES[extname(name)]!;
    return [name, { body: await readFile(path), contentType, isImmutable: name.startsWith("assets/") }];
  });
  return new Map(await Promise.all(loaded));
}
