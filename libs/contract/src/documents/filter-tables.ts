import { FIELDS, type FilterField, isNegatable, namesOf, type ValueRule } from "@tickwheel/core";
import { code, table } from "./markdown.js";

/** The table of the fields of a filter. */
export function filterTables(): Record<"filter-fields", string> {
  const rows = FIELDS.map(([name, field]) => [
    code(field.word),
    namesOf(name).map(code).join(", "),
    valuesOf(field),
    isNegatable(field) ? "yes" : "",
    meaningOf(field),
  ]);
  return { "filter-fields": table(["in the line", "elsewhere", "values", "may be negated", "means"], rows) };
}

function valuesOf(field: FilterField): string {
  switch (field.kind) {
    case "list":
      return `up to ${field.most.toLocaleString("en-US")}: ${valueOf(field.value)}`;
    case "one":
      return valueOf(field.value);
    case "flag":
      return "`true`, `false`";
    case "instants":
      return field.durationIs === "age" ? "instants; a duration is an age" : "instants; a duration is a time to go";
    case "numbers":
      return `whole numbers of ${field.least} to ${field.greatest.toLocaleString("en-US")}`;
  }
}

function valueOf(rule: ValueRule): string {
  switch (rule.is) {
    case "word":
      return rule.words.map(code).join(", ");
    case "uuid":
      return "UUID";
    case "batch":
      return "UUID, or a name";
    case "fingerprint":
      return "12 hex digits";
    case "name":
    case "text":
      return `1 to ${rule.longest} characters`;
  }
}

function meaningOf({ kind, text }: FilterField): string {
  if (kind === "instants") return `${text} then.`;
  return kind === "numbers" ? `${text}.` : text;
}
