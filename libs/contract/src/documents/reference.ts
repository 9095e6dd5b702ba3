import { inputShape } from "../input/input-shape.js";
import { addressOf, type Group, type Operation } from "../operations/operation.js";
import type { Fields, Form, Shape } from "../shapes/shape.js";
import { table } from "./markdown.js";

/**
 * The reference of a group in Markdown: a table of its calls, and one of each input and record. Tables are not padded,
 * so that a field is a line of a diff.
 */
export function referenceOf(group: Group): string {
  const records = new Records();
  const calls = Object.entries(group.rows).map(([id, row]) => callRow(id, row, records));
  return [
    `<!-- Made by \`npm run generate\`. -->`,
    `# ${group.tag}`,
    group.text,
    table(["call", "what it does", "role", "takes", "answers", "GraphQL"], calls),
    ...records.texts(),
  ]
    .join("\n\n")
    .concat("\n");
}

/** The inputs and records that are named, each told once. */
class Records {
  private readonly found = new Map<string, Form>();

  typeOf({ form, isNullable }: Shape): string {
    return this.formText(form) + (isNullable ? " or null" : "");
  }

  texts(): string[] {
    const texts: string[] = [];
    // A record may name further ones, which the walk then finds.
    for (const [name, form] of this.found) texts.push(`## ${name}`, ...this.bodyOf(form));
    return texts;
  }

  private bodyOf(form: Form): string[] {
    if (form.kind !== "object" && form.kind !== "extended") return [];
    const said = form.kind === "object" && form.text !== undefined ? [form.text] : [];
    const base = form.kind === "extended" ? [`All fields of ${this.typeOf(form.base)}, and:`] : [];
    return [...said, ...base, table(["field", "type", "what it is"], this.rowsOf(form.fields))];
  }

  private rowsOf(fields: Fields): string[][] {
    return Object.entries(fields).map(([name, field]) => [
      `\`${name}\`${field.isOptional ? "?" : ""}`,
      this.typeOf(field),
      [field.text ?? "", field.default === undefined ? "" : `Default: \`${JSON.stringify(field.default)}\`.`]
        .filter(Boolean)
        .join(" "),
    ]);
  }

  private formText(form: Form): string {
    switch (form.kind) {
      case "scalar":
        return SCALARS[form.graphql] ?? form.graphql.toLowerCase();
      case "words":
        return form.words.map((word) => `\`${word}\``).join(", ");
      case "list":
        return `list of ${this.typeOf(form.of)}`;
      case "either":
        return form.of.map((one) => this.typeOf(one)).join(" or ");
      case "object":
      case "extended":
        if (!this.found.has(form.name)) this.found.set(form.name, form);
        return `[${form.name}](#${form.name.toLowerCase()})`;
    }
  }
}

const SCALARS: Readonly<Record<string, string>> = {
  Boolean: "boolean",
  DateTime: "instant",
  Float: "number",
  ID: "id",
  Int: "integer",
  JSON: "any JSON",
  Deadline: "duration or instant",
  ShardCount: "integer or `nodes`",
};

function callRow(id: string, row: Operation, records: Records): string[] {
  const { verb, path } = addressOf(row);
  const body = row.body ? [records.typeOf(inputShape(row.body))] : [];
  const query = Object.keys(row.query?.parameters ?? {}).map((name) => `\`${name}\``);
  const answer = Object.values(row.answers).find((shape) => shape !== null && shape !== undefined);
  const field = "none" in row.graphql ? "" : `\`${"query" in row.graphql ? row.graphql.query : row.graphql.mutation}\``;
  return [
    `\`${verb} ${path}\` (\`${id}\`)`,
    row.summary,
    row.role + (row.cluster ? ", `cluster`" : ""),
    [...body, ...query].join(", "),
    answer ? records.typeOf(answer) : row.events === undefined ? "" : "events",
    field,
  ];
}
