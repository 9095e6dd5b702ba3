/** A rule of docs/protocol.md as it is cited: two words at least, in brackets, and no link. */
const CITATION = /(?<![\w\])`])\[([a-z]{2,}(?:-[a-z]{2,})+)\](?![(\]\w=])/g;
const HEADING = /^### \[([a-z-]+)\]$/gm;
/** Names that rules had on a page which is not here, and sections of it. */
const FOREIGN = /§\s?\d*|\bI(?:[1-9]|1[0-4])\b(?!\/)/g;
const PAGE = /[\w./-]*[\w-]\.md\b/g;

export interface Citations {
  rules: string[];
  /** What names nothing that can be looked up in the repository. */
  foreign: string[];
}

/** The rules of the protocol's page, by the names of their headings. */
export function rulesOf(page: string): string[] {
  return [...page.matchAll(HEADING)].map(([, name]) => name!);
}

/**
 * What a source or a page cites: of a source what its comments and the names of its tests say.
 *
 * @param pages the names of all pages of the repository, without their folders
 */
export function citationsOf(path: string, text: string, pages: ReadonlySet<string>): Citations {
  const prose = path.endsWith(".md") ? text.replace(/^```[\s\S]*?^```/gm, "") : proseOf(text);
  const rules = [...prose.matchAll(CITATION)].map(([, name]) => name!);
  const missing = [...prose.matchAll(PAGE)].map(([page]) => page).filter((page) => !pages.has(page.split("/").at(-1)!));
  return { rules, foreign: [...(prose.match(FOREIGN) ?? []), ...missing] };
}

/** Comments, and the names of tests. */
function proseOf(source: string): string {
  const comments = source.match(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm) ?? [];
  const names = [...source.matchAll(/\b(?:test|describe|it)(?:\.each)?\(\s*(["'`])(.*?)\1/gs)].map(
    ([, , name]) => name!,
  );
  return [...comments, ...names].join("\n");
}
