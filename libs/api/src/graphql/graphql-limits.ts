import { JsonSource, type TickwheelError } from "@tickwheel/core";
import { MAX_PAGE } from "@tickwheel/contract";
import { GROUPS, type Operation } from "@tickwheel/contract/operations";
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  type ValidationRule,
  type ValueNode,
  type VariableDefinitionNode,
} from "graphql";
import { fieldNameOf } from "./graphql-call.js";
import { brokenRepeats } from "./graphql-repeats.js";

/** The most tokens of a document: what a parser and the standard rules may spend time on. */
export const MAX_TOKENS = 2_000;
/** The deepest nesting of fields. */
export const MAX_DEPTH = 8;
/** The most aliases of a document. */
export const MAX_ALIASES = 20;
/** The most that a document may cost: each field 1, below a list as often as it asks for. */
export const MAX_COST = 10_000;
/**
 * The longest that all values of variables may be together, in bytes, each counted as often as the document uses it. As
 * long as a body.
 */
export const MAX_USED_LENGTH = 1_048_576;

type Variables = Readonly<Record<string, unknown>>;

/**
 * The limit that a document breaks, or null. Fragments count wherever they are spread, variables wherever they are
 * used. What introspection answers has limits of its own in graphql-js and costs nothing here; how often it repeats
 * itself counts. Takes time in proportion to the
 * lengths of the document and of its variables.
 *
 * @param variables as sent: `first` may be one
 */
export function brokenLimit(document: DocumentNode, variables: Variables = {}): string | null {
  const size = new DocumentSize(document, variables);
  const { depth, cost, usedLength } = size.ofOperations();
  if (size.aliases > MAX_ALIASES)
    return `The document has ${size.aliases} aliases; at most ${MAX_ALIASES} are allowed.`;
  if (depth > MAX_DEPTH) return `The document is nested deeper than ${MAX_DEPTH} levels.`;
  if (usedLength > MAX_USED_LENGTH)
    return `The document uses its variables so often that their values come to more than ${MAX_USED_LENGTH} characters.`;
  return cost > MAX_COST
    ? `The document costs more than ${MAX_COST}: ask for fewer fields, or fewer items by first.`
    : brokenRepeats(document);
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
  /** The length of the variables' values, counted as often as they are used. */
  usedLength: number;
}
const NOTHING: Size = { depth: 0, cost: 0, usedLength: 0 };
/** How a field is asked how many items it answers. */
interface Counted {
  argument: string;
  /** Where the client leaves it out. */
  usual: number;
  most: number;
}
/** No row has such a field, and the standard rules refuse it afterwards. Until then it costs as a list of ours does. */
const UNKNOWN_FIELD: Counted = { argument: "first", usual: 1, most: MAX_PAGE };
const COUNTED: ReadonlyMap<string, Counted> = new Map(
  GROUPS.flatMap(({ rows }) => Object.values(rows)).flatMap((row) => {
    const name = fieldNameOf(row);
    const counted = countedOf(row);
    return name !== null && counted ? [[name, counted]] : [];
  }),
);

function countedOf({ query }: Operation): Counted | null {
  const { limit, count } = query?.parameters ?? {};
  const parameter = limit ?? count;
  if (parameter?.form.kind !== "scalar") return null;
  const most = Number(parameter.form.json["maximum"]);
  return { argument: limit ? "first" : "count", usual: Number(parameter.default), most };
}

/** Measures a document; each fragment once, however often it is spread. */
class DocumentSize {
  aliases = 0;
  private readonly fragments = new Map<string, FragmentDefinitionNode>();
  private readonly measured = new Map<string, Size>();
  private readonly lengths = new Map<string, number>();
  /** The length of the longest default in the document, by name. */
  private readonly defaultLengths = new Map<string, number>();

  constructor(
    private readonly document: DocumentNode,
    private readonly variables: Variables,
  ) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.fragments.set(definition.name.value, definition);
      if (definition.kind === Kind.OPERATION_DEFINITION) this.takeDefaults(definition.variableDefinitions ?? []);
    }
  }

  private takeDefaults(definitions: readonly VariableDefinitionNode[]): void {
    for (const { variable, defaultValue } of definitions) {
      const length = (defaultValue?.loc?.end ?? 0) - (defaultValue?.loc?.start ?? 0);
      this.defaultLengths.set(variable.name.value, Math.max(length, this.defaultLengths.get(variable.name.value) ?? 0));
    }
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
    const used = this.usedBy(field);
    if (field.name.value.startsWith("__") || !field.selectionSet) return { depth: 1, cost: 1, usedLength: used };
    const { depth, cost, usedLength } = this.ofSelections(field.selectionSet);
    return { depth: depth + 1, cost: 1 + cost * this.itemsOf(field), usedLength: used + usedLength };
  }

  /** The length of all that a field's arguments and directives take from variables. */
  private usedBy({ arguments: given = [], directives = [] }: FieldNode): number {
    const all = [...given, ...directives.flatMap((directive) => directive.arguments ?? [])];
    return all.reduce((length, { value }) => length + this.usedIn(value), 0);
  }

  private usedIn(value: ValueNode): number {
    if (value.kind === Kind.VARIABLE) return this.lengthOf(value.name.value);
    if (value.kind === Kind.LIST) return value.values.reduce((length, item) => length + this.usedIn(item), 0);
    if (value.kind !== Kind.OBJECT) return 0;
    return value.fields.reduce((length, field) => length + this.usedIn(field.value), 0);
  }

  /** How long a variable's value is as JSON, written once however often it is used. */
  private lengthOf(name: string): number {
    const known = this.lengths.get(name);
    if (known !== undefined) return known;
    const value = Object.hasOwn(this.variables, name) ? this.variables[name] : undefined;
    const length = value === undefined ? (this.defaultLengths.get(name) ?? 0) : lengthOfJson(value);
    this.lengths.set(name, length);
    return length;
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
    const { argument, usual, most } = COUNTED.get(field.name.value) ?? UNKNOWN_FIELD;
    const given = field.arguments?.find(({ name }) => name.value === argument)?.value;
    if (!given) return usual;
    const value = given.kind === Kind.VARIABLE ? this.variables[given.name.value] : countOf(given);
    // A value that is not a number is refused later, and may not even be asked to become one.
    return typeof value === "number" && Number.isFinite(value) ? Math.max(value, 1) : most;
  }
}

function countOf(node: ValueNode): number | undefined {
  return node.kind === Kind.INT ? Number(node.value) : undefined;
}

/** About how long a value is as JSON; exact but for escapes. */
function lengthOfJson(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (JsonSource.is(value)) return value.text.length;
  if (Array.isArray(value)) return value.reduce<number>((length, item) => length + 1 + lengthOfJson(item), 2);
  if (value === null || typeof value !== "object") return String(value).length;
  return Object.entries(value).reduce((length, [name, item]) => length + name.length + 4 + lengthOfJson(item), 2);
}

function sum(a: Size, b: Size): Size {
  return {
    depth: Math.max(a.depth, b.depth),
    cost: a.cost + b.cost,
    usedLength: a.usedLength + b.usedLength,
  };
}
