import { type NumberKind, type OptionEntry, OPTIONS, variableOf, withCommas } from "@tickwheel/core";
import { code, table } from "./markdown.js";
import { commentOf } from "./type-script.js";

const entries = Object.entries<OptionEntry>(OPTIONS);

/** How a unit is called: in the table, and at the beginning of a sentence. */
const UNITS: Readonly<Record<NumberKind, readonly [string, string]>> = {
  duration: ["ms", "Milliseconds"],
  bytes: ["bytes", "Bytes"],
  days: ["days", "Days"],
  beats: ["beats", "Beats"],
  count: ["count", "Count"],
};

/** The table of a node's times and limits. */
export function optionTables(): Record<"options", string> {
  const rows = entries.map(([name, { kind, least, most, default: value, text }]) => [
    code(name),
    code(variableOf(name)),
    String(value),
    `${withCommas(least)} … ${withCommas(most)}`,
    UNITS[kind][0],
    text,
  ]);
  return { options: table(["option", "variable", "default", "from … to", "unit", "meaning"], rows) };
}

/** The interface of these options, with the texts that an editor shows. */
export function optionsSource(): string {
  const fields = entries.map(([name, { kind, least, most, default: value, text }]) => {
    const bounds = `${UNITS[kind][1]}, ${withCommas(least)} to ${withCommas(most)}; default ${withCommas(value)}.`;
    return `${commentOf(`${text} ${bounds}`, "  ")}  ${name}: number;\n`;
  });
  return `// Made by \`npm run generate\` of \`OPTIONS\`.

/** The named times and limits of a node, whole numbers all of them. */
export interface SchedulerOptions {
${fields.join("")}}
`;
}
