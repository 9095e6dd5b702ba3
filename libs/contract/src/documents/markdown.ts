/** A table of Markdown. It is not padded, so that a row is a line of a diff. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Text as code. */
export const code = (text: string): string => `\`${text}\``;

/**
 * A document with its made parts as they should be. A part stands between `<!-- made:NAME -->` and `<!-- /made:NAME
 * -->`, is one table or one list, and is left alone by the formatter.
 *
 * @param parts the text of each, by name
 * @throws Error if the document lacks the marks of a part, or has marks of one that is not made
 */
export function withParts(document: string, parts: Readonly<Record<string, string>>): string {
  const missing = new Set(Object.keys(parts));
  const made = document.replaceAll(/<!-- made:([\w-]+) -->\n[^]*?<!-- \/made:\1 -->/g, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`nothing makes the part ${name}`);
    missing.delete(name);
    return `<!-- made:${name} -->\n\n<!-- oxfmt-ignore -->\n${part}\n\n<!-- /made:${name} -->`;
  });
  if (missing.size > 0) throw new Error(`there are no marks for ${[...missing].join(", ")}`);
  return made;
}
