import { errorTables } from "./error-tables.js";
import { filterTables } from "./filter-tables.js";
import { findingTables } from "./finding-tables.js";
import { optionTables } from "./option-tables.js";
import { telemetryTables } from "./telemetry-tables.js";

/** What the makers need and types alone know. */
export interface FactsOfTypes {
  /** The names of each event's facts; one that is not always there has a `?` behind it. */
  eventFacts: Readonly<Record<string, readonly string[]>>;
}

/** The made parts of documents: the text of each by its name, by the document's path in the repository. */
export function catalogueParts({ eventFacts }: FactsOfTypes): Record<string, Record<string, string>> {
  return {
    "docs/errors.md": errorTables(),
    "docs/guides/configuration.md": optionTables(),
    "docs/guides/find-tasks.md": filterTables(),
    "docs/runbook.md": findingTables(),
    "docs/telemetry.md": telemetryTables(eventFacts),
  };
}
