/** Control characters, ends of lines, and what turns the direction of writing. */
const CONTROLS = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Text as a part of one line: what would end the line, or what a terminal takes for a command, is escaped. */
export function oneLine(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Text of several lines, such as a stack: those after the first are indented, so none looks like one of its own. */
export function indentedLines(text: string): string {
  const [first = "", ...rest] = text.split(/\r?\n/);
  return [oneLine(first), ...rest.map((line) => `    ${oneLine(line.trim())}`)].join("\n");
}
