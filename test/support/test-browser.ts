import { createRequire } from "node:module";
import { findChromium } from "@tickwheel/local-services";
import type { Browser, Page } from "playwright-core";

// Its ES module entry is a cycle that Jest cannot load.
const { chromium } = createRequire(import.meta.url)("playwright-core") as typeof import("playwright-core");

export async function launchChromium(): Promise<Browser> {
  const { executablePath, env, args } = await findChromium();
  return chromium.launch({ executablePath, args, env: { ...process.env, ...env } });
}

/**
 * Events that must not happen on any page: exceptions, and refusals by the content security policy. New ones are
 * appended.
 */
export function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) faults.push(message.text());
  });
  return faults;
}
