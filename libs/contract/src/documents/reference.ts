import { inputShape } from "../input/input-shape.js";
import { addressOf, type Group, type Operation } from "../operations/operation.js";
import type { Shape } from "../shapes/shape.js";
import { code, table } from "./markdown.js";

/**
 * The reference in Markdown: a table of the calls of each group. The fields of what they take and answer are in the
 * OpenAPI document and in the schema of GraphQL. Tables are not padded, so that a call is a line of a diff.
 */
export function referenceOf(groups: readonly Group[]): string {
  return [INTRODUCTION, ...groups.flatMap(groupTexts)].join("\n\n").concat("\n");
}

const INTRODUCTION = `<!-- Made by \`npm run generate\`. -->

# Reference

Each call of REST: its name in the TypeScript client and in GraphQL, and the role that it needs. Every field of what it
takes and answers, with bounds and defaults, is described at \`/docs/\` of any node, in
[\`openapi.json\`](../libs/contract/openapi.json) and in [\`schema.graphql\`](../libs/contract/schema.graphql). Errors:
[errors.md](errors.md).`;

function groupTexts(group: Group): string[] {
  const calls = Object.entries(group.rows).map(([id, row]) => callRow(id, row));
  const head = ["call", "what it does", "role", "takes", "answers", "GraphQL"];
  return [`## ${group.tag}`, group.text, table(head, calls)];
}

function callRow(id: string, row: Operation): string[] {
  const { verb, path } = addressOf(row);
  const body = row.body ? [nameOf(inputShape(row.body))] : [];
  const query = Object.keys(row.query?.parameters ?? {}).map(code);
  const answer = Object.values(row.answers).find((shape) => shape !== null && shape !== undefined);
  const field = "none" in row.graphql ? "" : code("query" in row.graphql ? row.graphql.query : row.graphql.mutation);
  return [
    `\`${verb} ${path}\` (\`${id}\`)`,
    row.summary,
    row.role + (row.cluster ? ", `cluster`" : ""),
    [...body, ...query].join(", "),
    answer ? nameOf(answer) : row.events === undefined ? "" : "events",
    field,
  ];
}

/** What a call takes or answers, by its name in the schemas. */
function nameOf({ form }: Shape): string {
  switch (form.kind) {
    case "scalar":
      return form.graphql;
    case "words":
      return form.words.map(code).join(", ");
    case "list":
      return `list of ${nameOf(form.of)}`;
    case "either":
      return form.of.map(nameOf).join(" or ");
    case "object":
    case "extended":
      return code(form.name);
  }
}
