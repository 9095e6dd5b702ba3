import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { FINE, lookAt } from "../support/test-browser.js";
import { dashboardOfSpec } from "../support/dashboard-page.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";

const dashboard = dashboardOfSpec();
let page: Page;
beforeEach(() => {
  ({ page } = dashboard);
});

describe.each(["light", "dark"] as const)("in %s, nothing is hard to read or out of reach", (colorScheme) => {
  test("nothing is hard to read or out of reach on the log-in", async () => {
    await page.emulateMedia({ colorScheme });
    await page.getByLabel("API key").waitFor();
    expect(await lookAt(page)).toEqual(FINE);
    await dashboard.logIn("x".repeat(40));
    await page.getByRole("alert").waitFor();
    expect(await lookAt(page)).toEqual(FINE);
  });

  test.each(depth({ sample: [1280, 320], whole: [1280, 1000, 390, 320] }))(
    "nothing is hard to read or out of reach on all pages at %d px",
    async (width) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await dashboard.logIn();
      const id = await dashboard.createTask("a-long-key-".repeat(12));
      await page.setViewportSize({ width, height: 900 });
      const waits: [string, Locator][] = [
        ["#/", dashboard.nodes],
        ["#/types", page.getByText("There is no type yet").or(dashboard.table("Types"))],
        ["#/tasks", dashboard.table("Tasks")],
        [`#/tasks/${id}`, dashboard.journal],
        ["#/new", dashboard.typeField],
        ["#/tasks?q=key:none", page.getByText("No task matches this filter")],
        ["#/nowhere", page.getByText("There is no page at this address")],
      ];
      for (const [fragment, there] of waits) {
        await dashboard.open(fragment);
        await there.first().waitFor();
        expect([fragment, await lookAt(page)]).toEqual([fragment, FINE]);
      }
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Find or do" }).waitFor();
      expect(await lookAt(page)).toEqual(FINE);
      await dashboard.open(`#/tasks/${id}`);
      await page.reload();
      await page.getByRole("button", { name: "Cancel task" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel task" }).click();
      await page.getByText("Cancelled. The task will not run.").waitFor();
    },
  );
});

test("all files that the dashboard loads are its own server's, and 200 kB at most as they are sent", async () => {
  const looked = `["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
    .map(({ name, encodedBodySize }) => ({ name, sizeBytes: encodedBodySize }))`;
  const loaded = await eventually(async () => {
    const files = (await page.evaluate(looked)) as { name: string; sizeBytes: number }[];
    expect(files.map(({ name }) => name)).toContainEqual(expect.stringMatching(/inter.*\.woff2$/));
    return files;
  });
  expect(new Set(loaded.map(({ name }) => new URL(name).origin))).toEqual(new Set([dashboard.origin]));
  expect(loaded.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeLessThan(200_000);
});

test("the dashboard leads with one finding while Postgres is away, shows the last known figures, and can write nothing", async () => {
  await dashboard.logIn();
  await dashboard.nodes.waitFor();
  await dashboard.services.postgres.stop();
  const lead = page.getByRole("alert").filter({ hasText: "Postgres is away" });
  // The page's own words are shorter than the server's.
  await eventually(async () => expect(await lead.innerText()).toContain("Postgres is away from "));
  await page.locator(".figures.is-stale").waitFor();
  expect(await page.getByRole("region", { name: "Verdict" }).count()).toBe(0);
  await dashboard.link("New task").click();
  await lead.waitFor();
  expect(await page.getByRole("button", { name: "Create task" }).isDisabled()).toBe(true);
  await page.getByText("nothing can be changed until it answers").waitFor();
});
