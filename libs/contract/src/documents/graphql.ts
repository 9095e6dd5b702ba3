import { inputFields, inputShape } from "../input/input-shape.js";
import type { Group, Operation } from "../operations/operation.js";
import { nested } from "../shapes/nested.js";
import type { Fields, ObjectForm, Shape } from "../shapes/shape.js";

const SCALARS = {
  DateTime: "An ISO 8601 instant with offset.",
  Deadline: 'A delay from now, in milliseconds or such as "4h", or an ISO 8601 instant with offset.',
  Duration: 'Milliseconds as a number, or a string such as "15m", "1h30m" or "PT15M".',
  JSON: "Any JSON value. A payload is given back as received, digit for digit.",
  ShardCount: 'A number of 1 to 1,000, or "nodes": one for each live node that runs the type.',
  TimePoint:
    'An ISO 8601 instant, a day such as "2026-11-24", a time of today (UTC) such as "06:00", or a duration from now: an age such as "24h" of what has happened, else a time to go.',
};

const PAGE_INFO = `type PageInfo {
  hasNextPage: Boolean!
  "Give it as \`after\` to go on; null: there is no next page, or it goes on from the start."
  endCursor: String
}`;

/** The GraphQL schema of these calls, in its own language. */
export function sdlOf(groups: readonly Group[]): string {
  const types = new Types();
  const fields: Record<"query" | "mutation", string[]> = { query: [], mutation: [] };
  for (const group of groups)
    for (const row of Object.values(group.rows)) {
      if ("none" in row.graphql) continue;
      const isQuery = "query" in row.graphql;
      fields[isQuery ? "query" : "mutation"].push(types.rootField(row, group));
    }
  const scalars = Object.entries(SCALARS).map(([name, text]) => `${quoted(text)}scalar ${name}`);
  return [
    ...scalars,
    block("type", "Query", fields.query),
    `"All mutations need the role operator."\n${block("type", "Mutation", fields.mutation)}`,
    PAGE_INFO,
    ...types.texts,
  ].join("\n\n");
}

const PAGING = ["limit", "cursor"];

/** What a type begins with. */
interface Heading {
  name: string;
  /** Default: `type`. */
  kind?: "type" | "input";
  text?: string | undefined;
}

/** The types that fields have named, each written once. */
class Types {
  private readonly written = new Map<string, string>();
  private readonly said = new Map<string, string>();

  get texts(): string[] {
    return [...this.written.values()];
  }

  rootField(row: Operation, group: Group): string {
    const { graphql } = row;
    if ("none" in graphql) throw new Error("It has no field");
    const name = "query" in graphql ? graphql.query : graphql.mutation;
    const args = [...pathArguments(row, group), ...this.bodyArguments(row), ...this.queryArguments(row)];
    const answer = graphql.result ?? Object.values(row.answers)[0]!;
    const type = isPage(answer) ? `${this.connection(answer)}!` : this.typeOf(answer);
    const text = `${graphql.text ?? row.summary}.${row.cluster ? " Needs a key with the right `cluster`." : ""}`;
    const list = args.length > 0 ? `(${args.join(", ")})` : "";
    return `${quoted(text)}${name}${list}: ${graphql.orNull ? type.replace(/!$/, "") : type}`;
  }

  private bodyArguments({ body, graphql, ifMatch, isOnce }: Operation): string[] {
    if ("none" in graphql) return [];
    const args: string[] = [];
    if (body) {
      const fields = inputFields(body);
      if (graphql.body === "spread")
        args.push(...Object.entries(fields).map(([name, field]) => this.argument(name, field)));
      else if (graphql.body) args.push(this.argument(graphql.body.list, Object.values(fields)[0]!));
      else args.push(`input: ${this.typeOf(inputShape(body), true)}`);
      if (isOnce && !("idempotencyKey" in fields)) args.push("idempotencyKey: String");
    }
    if (ifMatch) args.push(`${ifMatch.argument}: Int`);
    return args;
  }

  private queryArguments({ query, graphql }: Operation): string[] {
    if (!query || "none" in graphql) return [];
    const own = Object.entries(query.parameters).filter(([name]) => !PAGING.includes(name));
    const page = "limit" in query.parameters ? ["first: Int = 50", "after: String"] : [];
    if (graphql.filter === undefined) return [...own.map(([name, field]) => this.argument(name, field)), ...page];
    this.define({ name: graphql.filter, kind: "input" }, nested(graphql.filter, own));
    return [`filter: ${graphql.filter}`, ...page];
  }

  private argument(name: string, field: Shape): string {
    const usual = field.default === undefined ? "" : ` = ${valueText(field)}`;
    return `${quoted(field.text)}${name}: ${this.typeOf(field, true)}${usual}`;
  }

  /** A page of REST as the connection that GraphQL has. */
  private connection({ form }: Shape): string {
    const { name, fields } = form as ObjectForm;
    const type = name.replace(/Page$/, "Connection");
    const { items, nextCursor: _cursor, incomplete: _incomplete, ...others } = fields;
    if (this.written.has(type)) return type;
    this.written.set(type, "");
    const nodes = this.lineOf("nodes", items!);
    const more = Object.entries(others).map(([field, shape]) => this.lineOf(field, shape));
    const incomplete = `${quoted("The look ended before the page was full, or the fields before this one have used up the answer: go on after `endCursor` (null: from the start).")}incomplete: Boolean!`;
    this.written.set(type, block("type", type, [nodes, "pageInfo: PageInfo!", incomplete, ...more]));
    return type;
  }

  /** @param isInput fields that are not required may be left out, and those with a default as well */
  private typeOf(shape: Shape, isInput = false): string {
    const { form } = shape;
    const isNull =
      (shape.isNullable ?? false) ||
      (shape.isOptional ?? false) ||
      (!isInput && (shape.mayLackInGraphql === true || isJson(shape)));
    return this.nameOf(shape, isInput) + (isNull || (form.kind === "scalar" && form.graphql === "JSON") ? "" : "!");
  }

  private nameOf({ form }: Shape, isInput: boolean): string {
    switch (form.kind) {
      case "scalar":
        return form.graphql;
      case "words":
        return form.name === null ? "String" : this.enumeration(form.name, form);
      case "list":
        return `[${this.typeOf(form.of, isInput)}]`;
      case "object":
        return this.define({ name: form.name, kind: isInput ? "input" : "type", text: form.text }, form.fields);
      case "extended":
        return this.define({ name: form.name }, { ...(form.base.form as ObjectForm).fields, ...form.fields });
      case "either":
        if (form.graphql === "JSON") return "JSON";
        if (form.graphql === "first") return this.nameOf(form.of[0]!, isInput);
        return this.define({ name: form.graphql.name }, unitedFields(form.of));
    }
  }

  private enumeration(
    name: string,
    { words, texts }: { words: readonly string[]; texts: Record<string, string> },
  ): string {
    const values = words.map((word) => `${quoted(texts[word])}${word}`);
    const known = this.written.get(name);
    // The same words may stand with texts and without them.
    if (known === undefined || known.length < block("enum", name, values).length)
      this.written.set(name, block("enum", name, values));
    return name;
  }

  private define({ name, kind = "type", text }: Heading, fields: Fields): string {
    if (this.written.has(name)) {
      if (this.said.get(name) !== keyOf(fields)) throw new Error(`Two types of GraphQL are called ${name}, and differ`);
      return name;
    }
    this.said.set(name, keyOf(fields));
    this.written.set(name, "");
    const lines = Object.entries(fields).map(([field, shape]) => this.lineOf(field, shape, kind === "input"));
    this.written.set(name, `${quoted(text)}${block(kind, name, lines)}`);
    return name;
  }

  private lineOf(name: string, shape: Shape, isInput = false): string {
    const isListed = shape.form.kind === "words" && shape.form.name === null && !shape.isOptional;
    const words = shape.form.kind === "words" && shape.form.name === null ? shape.form.words.join(", ") : "";
    const text = isListed && !isInput ? [shape.text, `One of ${words}.`].filter(Boolean).join(" ") : shape.text;
    return `${quoted(text)}${name}: ${this.typeOf(shape, isInput)}`;
  }
}

function isJson({ form }: Shape): boolean {
  return form.kind === "either" && form.graphql === "JSON";
}

/** What tells two types of one name apart. */
function keyOf(fields: Fields): string {
  return Object.keys(fields).join();
}

function isPage({ form }: Shape): boolean {
  return form.kind === "object" && form.isComponent && "items" in form.fields && "nextCursor" in form.fields;
}

function pathArguments({ rest }: Operation, { path }: Group): string[] {
  return [...rest.matchAll(/:(\w+)/g)].map(([, name]) => {
    const { form } = path[name!]!;
    return `${name}: ${form.kind === "scalar" ? form.graphql : "String"}!`;
  });
}

/** The fields of all of them, null where a value has none; one that has the same name everywhere keeps its type. */
function unitedFields(shapes: readonly Shape[]): Fields {
  const all = shapes.map(({ form }) => (form as ObjectForm).fields);
  const names = [...new Set(all.flatMap((fields) => Object.keys(fields)))];
  return Object.fromEntries(names.map((name) => [name, unitedField(all.map((fields) => fields[name]))]));
}

function unitedField(fields: readonly (Shape | undefined)[]): Shape {
  const given = fields.filter((field) => field !== undefined);
  const isNullable = given.length < fields.length || given.some((field) => field.isNullable);
  const words = given.flatMap(({ form }) => (form.kind === "words" ? form.words : []));
  const first = given[0]!;
  const form = first.form.kind === "words" ? { ...first.form, words } : first.form;
  return { ...first, form, ...(isNullable && { isNullable: true }) };
}

function valueText({ form, default: usual }: Shape): string {
  return form.kind === "words" && form.name !== null ? String(usual) : JSON.stringify(usual);
}

function quoted(text: string | undefined): string {
  if (text === undefined) return "";
  return text.includes('"')
    ? `"""${text.endsWith('"') ? `${text} ` : text}"""\n`
    : `"${text.replaceAll("\\", "\\\\")}"\n`;
}

function block(kind: string, name: string, lines: readonly string[]): string {
  const indented = lines.map((line) => line.replaceAll(/^/gm, "  "));
  return `${kind} ${name} {\n${indented.join("\n")}\n}`;
}
