import type { JsonSchema } from "../shapes/shape.js";
import { commentOf } from "./type-script.js";

// Types of TypeScript for what goes over the wire, made of its schemas: they import nothing.

/** The type of what is answered. */
export function answerType(schema: JsonSchema, indent: string): string {
  return new SchemaWriter(false).typeOf(schema, indent);
}

/** The type of what is given: what may be absent may be undefined, and any JSON any value. */
export function inputType(schema: JsonSchema, indent: string): string {
  return new SchemaWriter(true).typeOf(schema, indent);
}

/** The properties of an object between braces. */
export function propertiesOf(schema: JsonSchema, indent: string, isInput: boolean): string {
  return new SchemaWriter(isInput).propertiesOf(schema, indent);
}

/** A component as an interface, or, where it holds all of another one, as a type. */
export function interfaceOf(name: string, schema: JsonSchema, isInput: boolean): string {
  const writer = new SchemaWriter(isInput);
  const comment = commentOf((schema["description"] as string | undefined) ?? "", "");
  if ("allOf" in schema) return `${comment}export type ${name} = ${writer.typeOf(schema, "")};\n`;
  return `${comment}export interface ${name} ${writer.propertiesOf(schema, "")}\n`;
}

class SchemaWriter {
  constructor(private readonly isInput: boolean) {}

  typeOf(schema: JsonSchema, indent: string): string {
    const type = this.withoutNull(schema, indent);
    const isNullable = schema["nullable"] === true && !type.split(" | ").includes("null");
    return isNullable ? `${type} | null` : type;
  }

  propertiesOf({ properties, required }: JsonSchema, indent: string): string {
    const inner = `${indent}  `;
    const needed = (required ?? []) as readonly string[];
    const lines = Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(([name, schema]) => {
      const isOptional = !needed.includes(name);
      const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
      const text = `${commentOf(textOf(schema), inner)}${inner}readonly ${key}${isOptional ? "?" : ""}: `;
      const type = this.typeOf(schema, inner);
      return `${text}${type}${isOptional && this.isInput && type !== "unknown" ? " | undefined" : ""};\n`;
    });
    return `{\n${lines.join("")}${indent}}`;
  }

  private withoutNull(schema: JsonSchema, indent: string): string {
    if (typeof schema["$ref"] === "string") return schema["$ref"].split("/").at(-1)!;
    for (const [keyword, between] of [
      ["oneOf", " | "],
      ["anyOf", " | "],
      ["allOf", " & "],
    ] as const)
      if (keyword in schema) return this.joined(schema[keyword] as JsonSchema[], between, indent);
    if (Array.isArray(schema["enum"])) return schema["enum"].map((word) => JSON.stringify(word)).join(" | ");
    return this.plainType(schema, indent);
  }

  private joined(schemas: readonly JsonSchema[], between: string, indent: string): string {
    return [...new Set(schemas.map((one) => this.typeOf(one, indent)))].join(between);
  }

  private plainType(schema: JsonSchema, indent: string): string {
    switch (schema["type"]) {
      case "string":
      case "boolean":
        return schema["type"];
      case "integer":
      case "number":
        return "number";
      case "array":
        return this.listType(schema["items"] as JsonSchema, indent);
      case "object":
        return this.objectType(schema, indent);
      default:
        return this.isInput ? "unknown" : "Json";
    }
  }

  private listType(items: JsonSchema, indent: string): string {
    const type = this.typeOf(items, indent);
    const isOne = /^\w+$/.test(type) || (items["type"] === "object" && items["nullable"] !== true);
    return `readonly ${isOne ? type : `(${type})`}[]`;
  }

  private objectType(schema: JsonSchema, indent: string): string {
    if (schema["properties"] !== undefined) return this.propertiesOf(schema, indent);
    const values = schema["additionalProperties"];
    const type = typeof values === "object" ? this.typeOf(values as JsonSchema, indent) : "unknown";
    return `Readonly<Record<string, ${type}>>`;
  }
}

function textOf({ description, default: usual }: JsonSchema): string {
  const texts = [
    description as string | undefined,
    usual === undefined ? undefined : `Default: \`${JSON.stringify(usual)}\`.`,
  ];
  return texts.filter(Boolean).join(" ");
}
