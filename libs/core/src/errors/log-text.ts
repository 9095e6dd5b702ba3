/** Control characters, ends of lines, and what turns the direction of writing. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Text as a part of one line of a log: what would end the line, or what a terminal takes for a command, is escaped.
 *
 * @example oneLine("paid\nERROR forged") // "paid\\u000aERROR forged"
 */
export function oneLine(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Text of several lines for a log, such as a stack. Those after the first are indented by two spaces at least, so none
 * looks like a line of the log's own; else each is as {@link oneLine} makes it. Doing it twice changes nothing.
 *
 * @example indentedLines("no luck\nERROR forged") // "no luck\n    ERROR forged"
 */
export function indentedLines(text: string): string {
  const [first = "", ...rest] = text.split(/\r?\n/);
  return [oneLine(first), ...rest.map((line) => oneLine(indented(line)))].join("\n");
}

function indented(line: string): string {
  return line.startsWith("  ") ? line : `    ${line.trim()}`;
}
