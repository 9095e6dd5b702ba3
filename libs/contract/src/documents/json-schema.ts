import type { Fields, Form, JsonSchema, Shape } from "../shapes/shape.js";

/** Takes note of every component that is referred to. */
export type Components = Map<string, Shape>;

/**
 * A shape as a schema of OpenAPI 3.0.
 *
 * @param components is given each component that the schema refers to
 */
export function schemaOf(shape: Shape, components: Components): JsonSchema {
  const schema = formSchema(shape, components);
  const beside = besideOf(shape);
  if ("$ref" in schema)
    return Object.keys(beside).length === 0 ? schema : { ...typeBeside(shape), allOf: [schema], ...beside };
  return { ...schema, ...(shape.isNullable && "enum" in schema && nullListed(schema)), ...beside };
}

/** The schema of a component itself. */
export function componentSchema(shape: Shape, components: Components): JsonSchema {
  const { form } = shape;
  if (form.kind === "object") {
    const said = form.text === undefined ? {} : { description: form.text };
    return { ...objectSchema(form.fields, form.isInput, components), ...said };
  }
  if (form.kind === "extended")
    return { allOf: [schemaOf(form.base, components), objectSchema(form.fields, false, components)] };
  throw new Error("Only an object is a component");
}

function besideOf({ form, text, default: usual, example, isNullable, isReadOnly }: Shape): JsonSchema {
  return {
    ...(text !== undefined && { description: text }),
    ...(usual !== undefined && { default: usual }),
    ...(example !== undefined && { example }),
    ...(isNullable && form.kind !== "either" && { nullable: true }),
    ...(isReadOnly && { readOnly: true }),
  };
}

/** OpenAPI 3.0 lets null pass only beside a type. */
function typeBeside({ isNullable }: Shape): JsonSchema {
  return isNullable ? { type: "object" } : {};
}

/** An enumeration takes null only if it lists it. */
function nullListed(schema: JsonSchema): JsonSchema {
  return { enum: [...(schema["enum"] as unknown[]), null] };
}

function formSchema({ form, isNullable }: Shape, components: Components): JsonSchema {
  switch (form.kind) {
    case "scalar":
      return form.json;
    case "words":
      return { type: "string", enum: [...form.words] };
    case "list":
      return { type: "array", items: schemaOf(form.of, components), ...form.json };
    case "either":
      return { [form.keyword]: eitherOf(form.of, isNullable).map((one) => schemaOf(one, components)) };
    case "object":
      return form.isComponent ? referTo(form, components) : objectSchema(form.fields, form.isInput, components);
    case "extended":
      return referTo(form, components);
  }
}

/** OpenAPI 3.0 lets null pass only beside a type, which the first of them has. */
function eitherOf([first, ...others]: readonly Shape[], isNullable = false): Shape[] {
  return [isNullable ? { ...first!, isNullable } : first!, ...others];
}

function referTo(form: Extract<Form, { name: string; fields: Fields }>, components: Components): JsonSchema {
  if (!components.has(form.name)) components.set(form.name, { form });
  return { $ref: `#/components/schemas/${form.name}` };
}

function objectSchema(fields: Fields, isInput: boolean, components: Components): JsonSchema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, field]) => [name, schemaOf(field, components)])),
    ...(required.length > 0 && { required }),
    ...(isInput && { additionalProperties: false }),
  };
}
