#!/usr/bin/env node
// `npm run graph`: draws the imports between libraries, from the sources, into ARCHITECTURE.md.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const document = join(root, "ARCHITECTURE.md");
const start = "<!-- graph:start -->";
const end = "<!-- graph:end -->";

/** The graph as Mermaid: one node a library, specs left out. */
export function drawGraph() {
  const cruise = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const view = ["--include-only", "^libs/", "--exclude", "\\.spec\\.ts$", "--collapse", "^libs/[^/]+"];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [cruise, "libs/*/src", "--output-type", "mermaid", ...view],
    { cwd: root, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`dependency-cruiser failed: ${stderr}`);
  return stdout.trim();
}

/** The graph that the document shows, or undefined. */
export function shownGraph(text) {
  return text
    .split(start)[1]
    ?.split(end)[0]
    ?.match(/```mermaid\n([\s\S]*?)\n```/)?.[1];
}

/** The document with another graph between the markers; without markers it gets a section at its end. */
export function withGraph(text, graph) {
  const block = `${start}\n\n\`\`\`mermaid\n${graph}\n\`\`\`\n\n${end}`;
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) return `${text.trimEnd()}\n\n## Who imports whom\n\n${block}\n`;
  return text.slice(0, from) + block + text.slice(to + end.length);
}

export function readArchitecture() {
  return existsSync(document) ? readFileSync(document, "utf8") : "# Architecture\n";
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(document, withGraph(readArchitecture(), drawGraph()));
}
