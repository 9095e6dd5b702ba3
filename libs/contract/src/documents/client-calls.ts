import { inputShape } from "../input/input-shape.js";
import { addressOf, type Group, isBodyOptional, type Operation, placesOf } from "../operations/operation.js";
import { problem } from "../records/fault.js";
import type { JsonSchema } from "../shapes/shape.js";
import { type Components, componentSchema, schemaOf } from "./json-schema.js";
import { answerType, inputType, interfaceOf, propertiesOf } from "./schema-types.js";
import { commentOf } from "./type-script.js";

const HEAD = `// Made by \`npm run generate\`.
import type { CallOptions, IfMatchOption, OnceOption, WaitOption } from "./call-options.js";
import type { Row } from "./row.js";

/** Any JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [field: string]: Json };
`;

/** The calls of `@tickwheel/client`: their types, which import nothing, and what is sent. */
export function clientCallsOf(groups: readonly Group[]): string {
  const components: Components = new Map();
  schemaOf(problem, components);
  const calls = groups.map((group) => callsText(group, components));
  const queries = groups.flatMap(({ rows }) => Object.entries(rows).flatMap(([id, row]) => queryText(id, row)));
  const all = groups.map(({ tag, text }) => `${commentOf(text, "  ")}  readonly ${nameOf(tag)}: ${callsName(tag)};\n`);
  return [
    HEAD,
    ...componentTexts(components),
    ...queries,
    ...calls,
    `/** All calls of the API, by what they are about. */\nexport interface Calls {\n${all.join("")}}\n`,
    rowsText(groups),
  ].join("\n");
}

/** Each component that is referred to, which may refer to more of them. */
function componentTexts(components: Components): string[] {
  const texts: string[] = [];
  for (const [name, shape] of components)
    texts.push(interfaceOf(name, componentSchema(shape, components), name.endsWith("Input")));
  return texts;
}

function callsText({ tag, text, rows, path }: Group, components: Components): string {
  const methods = Object.entries(rows).map(([id, row]) => {
    const places = placesOf(row).map((name) => `${name}: ${inputType(schemaOf(path[name]!, new Map()), "")}`);
    const parameters = [...places, ...givenOf(id, row, components), `options?: ${optionsOf(row)}`];
    return `${commentOf(`${row.summary}.`, "  ")}  ${id}(${parameters.join(", ")}): Promise<${answerOf(row, components)}>;\n`;
  });
  return `${commentOf(text, "")}export interface ${callsName(tag)} {\n${methods.join("")}}\n`;
}

/** The input of a call: its body, or its query. No row has both. */
function givenOf(id: string, row: Operation, components: Components): string[] {
  if (row.body) {
    const type = inputType(schemaOf(inputShape(row.body), components), "  ");
    return [`input${isBodyOptional(row) ? "?" : ""}: ${type}`];
  }
  if (!row.query) return [];
  const needed = Object.values(row.query.parameters).some(({ isRequired }) => isRequired);
  return [`query${needed ? "" : "?"}: ${queryName(id)}`];
}

function queryText(id: string, { query, summary }: Operation): string[] {
  if (!query) return [];
  const parameters = Object.entries(query.parameters);
  const schema: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(parameters.map(([name, shape]) => [name, schemaOf(shape, new Map())])),
    required: parameters.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
  };
  const text = commentOf(`The query of \`${id}\`: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}.`, "");
  return [`${text}export interface ${queryName(id)} ${propertiesOf(schema, "", true)}\n`];
}

function answerOf({ answers, events }: Operation, components: Components): string {
  if (events !== undefined) return "Response";
  const types = Object.values(answers).map((shape) =>
    shape == null ? "void" : answerType(schemaOf(shape, components), "  "),
  );
  return [...new Set(types)].join(" | ");
}

function optionsOf({ isOnce, ifMatch, mayWait }: Operation): string {
  const more = [
    ...(isOnce ? ["OnceOption"] : []),
    ...(ifMatch ? ["IfMatchOption"] : []),
    ...(mayWait ? ["WaitOption"] : []),
  ];
  return ["CallOptions", ...more].join(" & ");
}

/** What is sent, as a table: the program of the client is the same for all rows. */
function rowsText(groups: readonly Group[]): string {
  const texts = groups.map(({ tag, rows }) => {
    const lines = Object.entries(rows).map(([id, row]) => `    ${id}: ${JSON.stringify(rowOf(row))},\n`);
    return `  ${nameOf(tag)}: {\n${lines.join("")}  },\n`;
  });
  return `/** What is sent for each call. */\nexport const ROWS: Readonly<Record<keyof Calls, Readonly<Record<string, Row>>>> = {\n${texts.join("")}};\n`;
}

function rowOf(row: Operation): object {
  const { verb, path } = addressOf(row);
  const whole = Object.entries(row.query?.parameters ?? {}).filter(([, { isWhole }]) => isWhole);
  return {
    verb,
    path,
    repeat: row.repeat,
    ...(row.body && { given: "body" }),
    ...(row.query && { given: "query" }),
    ...(whole.length > 0 && { whole: whole.map(([name]) => name) }),
    ...(row.isOnce && { isOnce: true }),
    ...(row.isPoll && { isPoll: true }),
    ...(row.events !== undefined && { isStream: true }),
  };
}

/** `Dead letters`: `deadLetters`. */
function nameOf(tag: string): string {
  const title = titleOf(tag);
  return title.startsWith("API") ? `api${title.slice(3)}` : `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}

function titleOf(tag: string): string {
  return tag.replaceAll(/ (\w)/g, (_, first: string) => first.toUpperCase());
}

function callsName(tag: string): string {
  return `${titleOf(tag).replace("API", "Api")}Calls`;
}

function queryName(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Query`;
}
