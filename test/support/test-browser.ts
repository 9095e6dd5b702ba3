import { readFileSync } from "node:fs";
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

/** The dashboard of a node in a browser of its own, logged in with this key. `faults`: see {@link faultsOf}. */
export async function openDashboard(
  { url }: { url: string },
  key: string,
): Promise<{ browser: Browser; page: Page; faults: string[] }> {
  const browser = await launchChromium();
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  const faults = faultsOf(page);
  await page.goto(`${url}/dashboard/`);
  await logIn(page, key);
  return { browser, page, faults };
}

/** On a page that asks for a key. */
export async function logIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Log in" }).click();
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A page on which nothing is hard to read or out of reach. */
export const FINE = { violations: [], overflowPx: 0 };

/** What axe finds that is serious or critical, and by how many pixels the page is wider than its window. */
export async function lookAt(page: Page): Promise<{ violations: string[]; overflowPx: number }> {
  const found = `${axe}; axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, target }) => id + ": " + target + " " + html)))`;
  const violations = (await page.evaluate(found)) as string[];
  const overflowPx = (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
  return { violations, overflowPx };
}
