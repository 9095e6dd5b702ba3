import type { TickwheelError } from "@tickwheel/core";
import { MAX_PAGE } from "@tickwheel/nestjs";
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationRule,
} from "graphql";

/** The most tokens of a document: what a parser and the standard rules may spend time on. */
export const MAX_TOKENS = 2_000;
/** The deepest nesting of fields. */
export const MAX_DEPTH = 8;
/** The most aliases of a document. */
export const MAX_ALIASES = 20;
/** The most that a document may cost: each field 1, below a list with `first` as often as it asks for. */
export const MAX_COST = 10_000;

type Variables = Readonly<Record<string, unknown>>;

/**
 * The limit that a document breaks, or null. Fragments count wherever they are spread; introspection, which has limits of its own in
 * graphql-js, does not count. Takes time in proportion to the document's length.
 *
 * @param variables as sent: `first` may be one
 */
export function brokenLimit(document: DocumentNode, variables: Variables = {}): string | null {
  const size = new DocumentSize(document, variables);
  const { depth, cost } = size.ofOperations();
  if (size.aliases > MAX_ALIASES)
    return `The document has ${size.aliases} aliases; at most ${MAX_ALIASES} are allowed.`;
  if (depth > MAX_DEPTH) return `The document is nested deeper than ${MAX_DEPTH} levels.`;
  return cost > MAX_COST
    ? `The document costs more than ${MAX_COST}: ask for fewer fields, or fewer items by first.`
    : null;
}

/** A rule that refuses any document, saying why: in words, or with an error of ours. */
export function refusal(reason: string | TickwheelError): ValidationRule {
  const [message, originalError] = typeof reason === "string" ? [reason] : [reason.message, reason];
  return (context) => {
    context.reportError(new GraphQLError(message, { originalError }));
    return {};
  };
}

interface Size {
  depth: number;
  cost: number;
}
const NOTHING: Size = { depth: 0, cost: 0 };
/** What `first` is where the client leaves it out, as in the schema. */
const DEFAULT_FIRST = 50;

/** Measures a document; each fragment once, however often it is spread. */
class DocumentSize {
  aliases = 0;
  private readonly fragments = new Map<string, FragmentDefinitionNode>();
  private readonly measured = new Map<string, Size>();

  constructor(
    private readonly document: DocumentNode,
    private readonly variables: Variables,
  ) {
    for (const definition of document.definitions)
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.fragments.set(definition.name.value, definition);
  }

  ofOperations(): Size {
    const operations = this.document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    return operations.map(({ selectionSet }) => this.ofSelections(selectionSet)).reduce(sum, NOTHING);
  }

  private ofSelections({ selections }: SelectionSetNode): Size {
    return selections
      .map((selection) => {
        if (selection.kind === Kind.FIELD) return this.ofField(selection);
        if (selection.kind === Kind.INLINE_FRAGMENT) return this.ofSelections(selection.selectionSet);
        return this.ofFragment(selection.name.value);
      })
      .reduce(sum, NOTHING);
  }

  private ofField(field: FieldNode): Size {
    if (field.alias) this.aliases++;
    if (field.name.value.startsWith("__") || !field.selectionSet) return { depth: 1, cost: 1 };
    const { depth, cost } = this.ofSelections(field.selectionSet);
    return { depth: depth + 1, cost: 1 + cost * this.itemsOf(field) };
  }

  /** A spread of itself counts nothing: the standard rules refuse it. */
  private ofFragment(name: string): Size {
    const known = this.measured.get(name);
    if (known) return known;
    this.measured.set(name, NOTHING);
    const fragment = this.fragments.get(name);
    const size = fragment ? this.ofSelections(fragment.selectionSet) : NOTHING;
    this.measured.set(name, size);
    return size;
  }

  private itemsOf(field: FieldNode): number {
    const first = field.arguments?.find((argument) => argument.name.value === "first")?.value;
    if (!first) return field.name.value === "tasks" ? DEFAULT_FIRST : 1;
    const value =
      first.kind === Kind.INT ? first.value : first.kind === Kind.VARIABLE && this.variables[first.name.value];
    const count = Number(value ?? MAX_PAGE);
    return Number.isFinite(count) ? Math.max(count, 1) : MAX_PAGE;
  }
}

function sum(a: Size, b: Size): Size {
  return { depth: Math.max(a.depth, b.depth), cost: a.cost + b.cost };
}
