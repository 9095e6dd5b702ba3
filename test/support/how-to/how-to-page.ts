/** What is run in a copy of the tree: a spec by its path, or the compiler. */
export type Run = string;

/** A page of `docs/how-to`, as far as a test follows it. */
export interface HowToPage {
  /** The files of each step, written by hand. */
  readonly steps: readonly (readonly string[])[];
  /** Commands that write a file of a step. */
  readonly commands: readonly string[];
  /** What `npm run generate` then writes. */
  readonly generated: readonly string[];
  /** What is green when all is done. */
  readonly green: readonly Run[];
  /** What is red where a step, counted from 1, or the generation was forgotten. */
  readonly forgotten: readonly { readonly step: number | "generate"; readonly red: Run }[];
}

/** Reads a page. A step is an item of its numbered list; its files stand before the first colon. */
export function readPage(text: string): HowToPage {
  const flat = text.replaceAll(/\n {2,}/g, " ");
  const steps = [...flat.matchAll(/^\d+\. (.*?):(?: |$)/gm)].map(([, files]) => namesIn(files!));
  const rows = [...flat.matchAll(/^\| (\d+|generate) \| `([^`]+)` \|$/gm)];
  return {
    steps,
    commands: [...flat.matchAll(/written by\s+`([^`]+)`/g)].map(([, command]) => command!),
    generated: namesIn(paragraphOf(text, "Generated:")),
    green: namesIn(paragraphOf(text, "Green:")),
    forgotten: rows.map(([, step, red]) => ({ step: step === "generate" ? step : Number(step), red: red! })),
  };
}

function paragraphOf(text: string, opening: string): string {
  return text.split("\n\n").find((paragraph) => paragraph.startsWith(opening)) ?? "";
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
}
