import { errorTables } from "./error-tables.js";

/** The made parts of documents: the text of each by its name, by the document's path in the repository. */
export function catalogueParts(): Record<string, Record<string, string>> {
  return { "docs/errors.md": errorTables() };
}
