import { JsonSource } from "@tickwheel/core";
import * as z from "zod";
import type { JsonSchema } from "../shapes/shape.js";
import { type InputRule, isContainer, type Told } from "./input-rules.js";
import { TOLD } from "./input-shape.js";

/**
 * A field that keeps all of these rules. Its value is passed on as it is; each rule that it breaks is a fault of its
 * own.
 */
export function field<T>(...rules: readonly InputRule[]): z.ZodType<T, T> {
  const schema = z.custom<T>().check(({ value, issues }) => {
    for (const rule of rules) {
      const message = rule(value);
      if (message !== null) issues.push({ code: "custom", message, input: value, continue: true });
    }
  });
  TOLD.add(schema, tellingOf(rules));
  return schema;
}

function tellingOf(rules: readonly InputRule[]): Told {
  const all = rules.map((rule) => rule.told).filter((one) => one !== undefined);
  const graphql = all.find((one) => one.graphql !== undefined)?.graphql;
  return { json: Object.assign({}, ...all.map(({ json }) => json)) as JsonSchema, ...(graphql && { graphql }) };
}

/** An object of these fields and no others. */
export function inputObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: ({ code }) => (code === "unrecognized_keys" ? "is not a known field" : "must be an object"),
  });
}

/** An input within another one; absent or null where it is not needed. */
export function nestedInput<Input extends z.ZodObject>(
  input: Input,
): z.ZodOptional<z.ZodNullable<z.ZodPreprocess<Input>>> {
  return z.preprocess(ownFields, input).nullish();
}

/** For a rule across the fields of an object: what else is wrong there does not keep it from being asked. */
export function whenObject({ value }: { value: unknown }): boolean {
  return isContainer(value);
}

/** The value, or a copy of its own fields where it could inherit more: nothing is read through a prototype. */
export function ownFields(value: unknown): unknown {
  if (!isContainer(value) || Array.isArray(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? value : { ...value };
}

/** A copy of an object's own fields, each read once: what is checked is what is kept. From GraphQL it comes as text. */
export function ownCopy(value: unknown): unknown {
  if (JsonSource.is(value)) return value.toJSON();
  return isContainer(value) && !Array.isArray(value) ? { ...value } : value;
}
