import { existsSync } from "node:fs";
import { join } from "node:path";
import { debianTool } from "./debian-tool.js";
import { findOnPath } from "./find-on-path.js";

/** How to start a headless browser; give it an empty profile of its own. */
export interface Chromium {
  readonly executablePath: string;
  readonly env: Record<string, string>;
  readonly args: string[];
}

/** Headless, also as root, and without the traffic that a browser causes on its own. */
const CHROMIUM_ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * The Chromium of this machine, or else Debian's, unpacked into the user's cache (124 MB).
 * @throws LocalServiceError `TOOL_UNAVAILABLE`
 */
export async function findChromium(): Promise<Chromium> {
  const installed = existsSync("/usr/bin/chromium") ? "/usr/bin/chromium" : findOnPath("chromium");
  if (installed) return { executablePath: installed, env: {}, args: [...CHROMIUM_ARGS] };
  const { root, env } = await debianTool("chromium");
  // The program itself: the script in usr/bin expects it at its place in the system.
  return { executablePath: join(root, "usr/lib/chromium/chromium"), env: { ...env }, args: [...CHROMIUM_ARGS] };
}
