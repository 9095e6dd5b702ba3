// What is made of the contract and of the catalogues. It imports built files.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogueParts, generatedFiles, withParts } from "@tickwheel/contract/documents";
import { eventFacts } from "./event-facts.mjs";

const root = join(import.meta.dirname, "../..");

/**
 * Every file that is made, wholly or in parts, as it should be: its path in the repository, and its text.
 *
 * @returns {Record<string, string>}
 */
export function madeFiles() {
  const parts = catalogueParts({ eventFacts: eventFacts() });
  const documents = Object.entries(parts).map(([path, made]) => [
    path,
    withParts(readFileSync(join(root, path), "utf8"), made),
  ]);
  return { ...generatedFiles(), ...Object.fromEntries(documents) };
}
