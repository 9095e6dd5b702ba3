import { type NumberKind, type OptionEntry, OPTIONS, variableOf, withCommas } from "@tickwheel/core";
import { code, table } from "./markdown.js";

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
    ...[code(name), code(variableOf(name)), String(value)],
    ...[`${withCommas(least)} … ${withCommas(most)}`, UNITS[kind][0], text],
  ]);
  return { options: table(["option", "variable", "default", "from … to", "unit", "meaning"], rows) };
}

/** The interface of these options, with the texts that an editor shows. */
export function optionsSource(): string {
  const fields = entries.map(([name, { kind, least, most, default: value, text }]) => {
    const bounds = `${UNITS[kind][1]}, ${withCommas(least)} to ${withCommas(most)}; default ${withCommas(value)}.`;
    return `${comment(`${text} ${bounds}`)}\n  ${name}: number;\n`;
  });
  return `// Made by \`npm run generate\` of \`OPTIONS\`.

/** The named times and limits of a node, whole numbers all of them. */
export interface SchedulerOptions {
${fields.join("")}}
`;
}

const WIDTH = 120;

/** A comment of a field, on one line where it has room there. */
function comment(text: string): string {
  const short = `  /** ${text} */`;
  if (short.length <= WIDTH) return short;
  const lines = ["   *"];
  for (const word of text.split(" ")) {
    if (`${lines.at(-1)!} ${word}`.length > WIDTH) lines.push("   *");
    lines.push(`${lines.pop()!} ${word}`);
  }
  return ["  /**", ...lines, "   */"].join("\n");
}
