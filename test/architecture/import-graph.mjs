#!/usr/bin/env node
// `npm run graph`: draws the imports between libraries, from the sources, into ARCHITECTURE.md.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { byName } from "../runner/spec-files.mjs";

const root = join(import.meta.dirname, "../..");
const document = join(root, "ARCHITECTURE.md");
const start = "<!-- graph:start -->";
const end = "<!-- graph:end -->";
const SOURCE = /\.tsx?$/;
const SPEC = /\.spec\.tsx?$/;
const IMPORT = /(?:from|import)\s*\(?\s*"@tickwheel\/([^/"]+)/g;

/** The graph as Mermaid: one node a library, specs left out. */
export function drawGraph() {
  const libraries = readdirSync(join(root, "libs")).toSorted(byName);
  const edges = libraries.flatMap((name) => importedBy(name).map((other) => `${name} --> ${other}`));
  return ["flowchart LR", ...libraries, ...edges].join("\n");
}

/** The other libraries that the sources of a library import. */
function importedBy(library) {
  const folder = join(root, "libs", library, "src");
  const sources = readdirSync(folder, { recursive: true }).filter((path) => SOURCE.test(path) && !SPEC.test(path));
  const names = sources.flatMap((path) => [...readFileSync(join(folder, path), "utf8").matchAll(IMPORT)]);
  return [...new Set(names.map(([, name]) => name))].filter((name) => name !== library).toSorted(byName);
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
