import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const compress = promisify(gzip);

/** A file of the page, ready to be sent. */
export interface PageFile {
  body: Buffer;
  /** The body as gzip; null where that is no shorter. */
  gzipped: Buffer | null;
  contentType: string;
  /** The tag of the body, however it is compressed: a weak tag. */
  etag: string;
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
/** The part of a hash that stands for it. */
const HASH_LENGTH = 16;

/**
 * All files below a folder, by their path with `/`, read into memory and compressed once: a request is looked up by its
 * name, so that no path can lead outside. Empty where the folder does not exist.
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
    return [name, await pageFile(name, await readFile(path))];
  });
  return new Map(await Promise.all(loaded));
}

/**
 * The same page with the content's hash in the name of each file that its `index.html` names as `./<file>`, so that a
 * browser reads it once.
 */
export async function withHashedNames(files: ReadonlyMap<string, PageFile>): Promise<Map<string, PageFile>> {
  const hashed = new Map<string, PageFile>();
  const index = files.get("index.html");
  if (!index) return hashed;
  let html = index.body.toString("utf8");
  for (const [name, file] of files) {
    if (name === "index.html") continue;
    const kind = extname(name);
    const newName = `${name.slice(0, -kind.length)}-${hashOf(file.body)}${kind}`;
    html = html.replaceAll(`"./${name}"`, `"./${newName}"`);
    hashed.set(newName, { ...file, isImmutable: true });
  }
  return hashed.set("index.html", await pageFile("index.html", Buffer.from(html)));
}

async function pageFile(name: string, body: Buffer): Promise<PageFile> {
  const gzipped = await compress(body);
  return {
    body,
    gzipped: gzipped.length < body.length ? gzipped : null,
    contentType: CONTENT_TYPES[extname(name)]!,
    etag: `W/"${hashOf(body)}"`,
    isImmutable: name.startsWith("assets/"),
  };
}

function hashOf(body: Buffer): string {
  return createHash("sha256").update(body).digest("hex").slice(0, HASH_LENGTH);
}

/** Whether `Accept-Encoding` takes gzip: named, or by `*`, and not with a weight of zero. */
export function takesGzip(acceptEncoding: string | undefined): boolean {
  const codings = (acceptEncoding ?? "").toLowerCase().split(",");
  const weights = new Map(
    codings.map((coding) => [coding.split(";", 1)[0]!.trim(), !/;\s*q=0(\.0*)?\s*$/.test(coding)]),
  );
  return weights.get("gzip") ?? weights.get("*") ?? false;
}

/** Whether `If-None-Match` names what the client has already. */
export function isKnown(ifNoneMatch: string | undefined, { etag }: PageFile): boolean {
  return (ifNoneMatch ?? "").split(",").some((tag) => [etag, etag.slice(2), "*"].includes(tag.trim()));
}
