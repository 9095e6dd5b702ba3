/** Width of every chart, and the height of a line of text. */
export const WIDTH = 960;
export const LINE = 18;

/** A whole SVG file of {@link WIDTH}, on white. */
export function svgOf(height: number, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`;
  const background = `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`;
  return `${[head, background, ...parts, "</svg>"].join("\n")}\n`;
}

/** What a chart begins with: its title, and one line for each note. */
export function titleAndNotes({ title, notes }: { title: string; notes: readonly string[] }): string[] {
  const lines = notes.map((note, i) => text([16, 30 + LINE * (i + 1)], note, 'fill="#555555"'));
  return [text([16, 26], title, 'font-size="17" font-weight="bold"'), ...lines];
}

/** @param looks further attributes */
export function text([x, y]: [number, number], content: string, looks = ""): string {
  const escaped = content.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${looks === "" ? "" : ` ${looks}`}>${escaped}</text>`;
}
