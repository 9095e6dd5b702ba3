// What is made of the contract and of the catalogues. It imports built files.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogueParts, generatedFiles, withParts } from "@tickwheel/contract/documents";
import { eventFacts } from "./event-facts.mjs";

const root = join(import.meta.dirname, "../..");
const WORKERS = "docs/guides/workers.md";
/** The languages of the workers beside that guide, by the ends of their names. */
const LANGUAGES = { py: "python", sh: "sh", go: "go" };

/**
 * Every file that is made, wholly or in parts, as it should be: its path in the repository, and its text.
 *
 * @returns {Record<string, string>}
 */
export function madeFiles() {
  const parts = { ...catalogueParts({ eventFacts: eventFacts() }), [WORKERS]: workerParts() };
  const documents = Object.entries(parts).map(([path, made]) => [
    path,
    withParts(readFileSync(join(root, path), "utf8"), made),
  ]);
  return { ...generatedFiles(), ...Object.fromEntries(documents) };
}

/** The guide shows the workers that a test runs. */
function workerParts() {
  const texts = Object.entries(LANGUAGES).map(([end, language]) => {
    const text = readFileSync(join(root, `docs/guides/workers/worker.${end}`), "utf8");
    return [`worker-${end}`, `\`\`\`${language}\n${text}\`\`\``];
  });
  return Object.fromEntries(texts);
}
