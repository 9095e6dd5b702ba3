import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { freePort } from "@tickwheel/local-services";
import { schedulerScript } from "../support/cluster.js";
import { documentBlocks, pasted } from "../support/readme-shell.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tickwheel-readme-"));
  // If the tests run as root, the embedded server runs under another account.
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Replaces npm: `npm ci` has been run already, and `npm start` starts the built scheduler directly. */
const npm = `npm() { case "$1" in ci) ;; start) exec "${process.execPath}" "${schedulerScript}" ;; *) exit 9 ;; esac; }`;

test("the examples of the guide to start work when they are pasted one after the other, and the first task fires", async () => {
  const port = String(await freePort());
  const blocks = documentBlocks("docs/guides/start.md", "A node as a service", "sh");
  expect(blocks).toHaveLength(2);
  const output = await pasted(
    blocks.map((block) => block.replaceAll("localhost:3000", `localhost:${port}`)),
    { cwd: folder, before: npm, env: { PORT: port, TICKWHEEL_LOG_FORMAT: "text" } },
  );
  expect(output).toMatch(/\[tickwheel\.log\] task [\w-]+ key "42" payload \{"orderId":"42"\}/);
  expect(output).toMatch(/"state":"succeeded"/);
  expect(output).not.toMatch(/"errors"|problem|"status":4/);
});
