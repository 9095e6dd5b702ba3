import type { FilterField } from "@tickwheel/core/filter";

/**
 * Which tasks a field means and how it is written, in parts: each second one is text of the line.
 *
 * @example fieldText(FILTER_FIELDS.due) // ["Tasks whose next try is due then: ", "due:<1h", " is within the hour or overdue…
 */
export function fieldText(field: FilterField): string[] {
  return `${field.text}${writtenText(field)}`.split("`");
}

function writtenText(field: FilterField): string {
  const { word, kind } = field;
  if (kind === "numbers") return `: \`${word}:3\`, \`${word}:>3\` or \`${word}:1..3\`.`;
  if (kind === "list" && field.value.is === "word") return ` \`${word}:${field.value.words.join("`, `")}\`.`;
  if (kind !== "instants") return "";
  const ofDay = `\`${word}:2026-11-24..2026-11-25\` is a day.`;
  if (field.durationIs === "age") return ` then: \`${word}:<24h\` is within the last 24 hours, ${ofDay}`;
  return ` then: \`${word}:<1h\` is within the hour or ${word === "due" ? "overdue" : "past"}, ${ofDay}`;
}
