/** What the nodes that run a type announce of its payloads, as `GET /v1/types/{type}` tells it. */
export interface TypePayload {
  readonly type: string;
  /** JSON Schema; null: none is known. */
  readonly payloadSchema: JsonSchema | null;
  readonly payloadVersion: number | null;
}

/** What is used of a JSON Schema. Another application has written it: nothing in it is certain. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A field of a payload. */
export interface SchemaField {
  /** Below the payload: `items[].sku`. */
  readonly path: string;
  /** `text`, `list of object`, or the words that it may be. */
  readonly kind: string;
  readonly isRequired: boolean;
  /** What its author says of it; empty: nothing. */
  readonly description: string;
  /** As JSON; empty: its author gives none. */
  readonly example: string;
}

const deepest = 6;
const mostFields = 100;
const mostWords = 8;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The fields of an object's schema, those of its objects and lists behind them; at most 100, six levels deep. */
export function fieldsOf(schema: JsonSchema): SchemaField[] {
  const fields: SchemaField[] = [];
  addFields({ fields, root: schema }, schema, "");
  return fields;
}

interface Walk {
  readonly fields: SchemaField[];
  readonly root: JsonSchema;
}

function addFields(walk: Walk, given: unknown, path: string): void {
  const schema = resolved(walk.root, given);
  if (path.split(".").length > deepest) return;
  const below = resolved(walk.root, schema["items"]);
  if (schema["properties"] === undefined && below["properties"] !== undefined) addFields(walk, below, `${path}[]`);
  if (!isObject(schema["properties"])) return;
  const required = new Set(listOf(schema["required"]));
  for (const [name, property] of Object.entries(schema["properties"])) {
    if (walk.fields.length >= mostFields) return;
    const field = path === "" ? name : `${path}.${name}`;
    walk.fields.push(fieldOf(resolved(walk.root, property), { path: field, isRequired: required.has(name) }, walk));
    addFields(walk, property, field);
  }
}

function fieldOf(schema: JsonSchema, place: Pick<SchemaField, "path" | "isRequired">, { root }: Walk): SchemaField {
  const { description } = schema;
  const [example] = "examples" in schema ? listOf(schema["examples"]) : [schema["default"]];
  return {
    ...place,
    kind: kindOf(root, schema),
    description: typeof description === "string" ? description : "",
    example: example === undefined ? "" : JSON.stringify(example),
  };
}

function kindOf(root: JsonSchema, schema: JsonSchema): string {
  const words = "const" in schema ? [schema["const"]] : listOf(schema["enum"]);
  if (words.length > 0) {
    const shown = words.slice(0, mostWords).map((word) => JSON.stringify(word));
    return [...shown, ...(words.length > mostWords ? ["…"] : [])].join(" | ");
  }
  const types = [schema["type"]].flat().filter((type): type is string => typeof type === "string");
  const shown = types.map((type) =>
    type === "array" ? `list of ${kindOf(root, plain(resolved(root, schema["items"])))}` : type,
  );
  const branches = branchesOf(schema).map((branch) => kindOf(root, plain(resolved(root, branch))));
  return [...new Set([...shown, ...branches])].join(" | ") || "any";
}

/** Without its own branches: one that holds itself would have no end. */
function plain({ anyOf: _any, oneOf: _one, items: _items, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function branchesOf(schema: JsonSchema): readonly unknown[] {
  return [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
}

/** A schema, or what its `$ref` names within the same document; anything else is a schema that says nothing. */
function resolved(root: JsonSchema, schema: unknown): JsonSchema {
  if (!isObject(schema)) return {};
  const ref = schema["$ref"];
  if (typeof ref !== "string" || !ref.startsWith("#/")) return schema;
  let found: unknown = root;
  for (const part of ref.slice(2).split("/")) found = isObject(found) ? found[part] : undefined;
  return isObject(found) ? found : {};
}

/**
 * A payload to begin with: every required field, by its example, its default, its first word, or its type. It need not
 * fit, as patterns and rules between fields are not looked at.
 */
export function exampleOf(schema: JsonSchema): unknown {
  return valueOf(schema, schema, 0);
}

const plainValues: Readonly<Record<string, unknown>> = { string: "text", boolean: false, null: null };
const formats: Readonly<Record<string, string>> = {
  "date-time": "2030-01-01T00:00:00Z",
  date: "2030-01-01",
  email: "name@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function valueOf(root: JsonSchema, given: unknown, depth: number): unknown {
  const schema = resolved(root, given);
  const [told] = [
    ...listOf(schema["examples"]),
    ...["default", "const"].flatMap((name) => (name in schema ? [schema[name]] : [])),
    ...listOf(schema["enum"]),
  ];
  if (told !== undefined) return told;
  if (depth >= deepest) return null;
  const [branch] = branchesOf(schema);
  if (branch !== undefined) return valueOf(root, branch, depth + 1);
  const [type] = [schema["type"]].flat();
  if (type === "object" || isObject(schema["properties"])) return objectOf(root, schema, depth);
  if (type === "array") return "items" in schema ? [valueOf(root, schema["items"], depth + 1)] : [];
  if (type === "integer" || type === "number") return leastOf(schema);
  if (type === "string") return formats[String(schema["format"])] ?? "text";
  return plainValues[String(type)] ?? null;
}

function objectOf(root: JsonSchema, schema: JsonSchema, depth: number): unknown {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = listOf(schema["required"]).filter((name): name is string => typeof name === "string");
  return Object.fromEntries(required.map((name) => [name, valueOf(root, properties[name], depth + 1)]));
}

function leastOf({ minimum, exclusiveMinimum }: JsonSchema): number {
  if (typeof minimum === "number") return Math.max(0, Math.ceil(minimum));
  return typeof exclusiveMinimum === "number" ? Math.max(0, Math.floor(exclusiveMinimum) + 1) : 0;
}
