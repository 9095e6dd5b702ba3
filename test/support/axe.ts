import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

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
