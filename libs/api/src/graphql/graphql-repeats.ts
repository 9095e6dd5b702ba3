import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionSetNode,
} from "graphql";

/** The most fragments that a document may define. */
export const MAX_FRAGMENTS = 50;
/**
 * The most pairs of selections that may have to be compared: fields of one name in one place, and fragments of one
 * place. A field that stands in one place n times is n(n − 1)/2 pairs.
 */
export const MAX_PAIRS = 2_000;
/** The most selections, fragments counted wherever they are spread: introspection as well. */
export const MAX_SELECTIONS = 10_000;
/** The deepest nesting: introspection as well, whose usual query has 13 levels. */
const MAX_LEVELS = 32;
/** How many characters of arguments are compared in the time of one pair. */
const LENGTH_OF_A_PAIR = 100;

/**
 * The limit that a document breaks by repeating itself, or null. GraphQL's own rule compares each two fields of one
 * name in one place, and each two fragments there, which takes time by the square of their number; this counts the
 * pairs and compares none. Takes time in proportion to {@link MAX_SELECTIONS} at most.
 */
export function brokenRepeats(document: DocumentNode): string | null {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  if (fragments.length > MAX_FRAGMENTS)
    return `The document has ${fragments.length} fragments; at most ${MAX_FRAGMENTS} are allowed.`;
  const merged = new MergedSelections(fragments);
  for (const definition of document.definitions) merged.take(definition);
  return merged.broken;
}

const pairsOf = (count: number): number => (count * (count - 1)) / 2;

/** The selections of a document, those of one place together. Ends as soon as a limit is broken. */
class MergedSelections {
  broken: string | null = null;
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  private pairs = 0;
  private selections = 0;

  constructor(fragments: readonly FragmentDefinitionNode[]) {
    this.fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  }

  take(definition: DefinitionNode): void {
    if ("selectionSet" in definition) this.takePlace([definition.selectionSet], 1);
  }

  /** All that stands in one place of the answer: fields of one name lead to one place below it. */
  private takePlace(sets: readonly SelectionSetNode[], level: number): void {
    if (level > MAX_LEVELS) this.broken ??= `The document is nested deeper than ${MAX_LEVELS} levels.`;
    if (this.broken !== null) return;
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    for (const set of sets) this.collect(set, fields, spread);
    this.count(pairsOf(spread.size));
    for (const alike of fields.values()) {
      this.count(pairsOf(alike.length) + ((alike.length - 1) * lengthOfArguments(alike)) / LENGTH_OF_A_PAIR);
      const below = alike.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (below.length > 0) this.takePlace(below, level + 1);
    }
  }

  private collect({ selections }: SelectionSetNode, fields: Map<string, FieldNode[]>, spread: Set<string>): void {
    for (const selection of selections) {
      if (++this.selections > MAX_SELECTIONS)
        this.broken ??= `The document comes to more than ${MAX_SELECTIONS} fields and fragments.`;
      if (this.broken !== null) return;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const alike = fields.get(name);
        if (alike) alike.push(selection);
        else fields.set(name, [selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) this.collect(selection.selectionSet, fields, spread);
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = this.fragments.get(selection.name.value);
        if (fragment) this.collect(fragment.selectionSet, fields, spread);
      }
    }
  }

  private count(pairs: number): void {
    this.pairs += pairs;
    if (this.pairs > MAX_PAIRS)
      this.broken ??= `The document repeats fields or fragments of one place too often: ask for each field once.`;
  }
}

function lengthOfArguments(fields: readonly FieldNode[]): number {
  return fields
    .flatMap((field) => field.arguments ?? [])
    .reduce((length, { loc }) => length + (loc ? loc.end - loc.start : 0), 0);
}
