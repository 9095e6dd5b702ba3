// The parts that schemas are made of.

export type SchemaObject = Record<string, unknown>;

export const string: SchemaObject = { type: "string" };
export const integer: SchemaObject = { type: "integer" };
export const number: SchemaObject = { type: "number" };
export const json: SchemaObject = { description: "Any JSON, null too." };
export const instant: SchemaObject = { type: "string", format: "date-time" };
export const duration: SchemaObject = {
  description: 'Milliseconds, or a string such as "15m", "1h30m" or "PT15M".',
  oneOf: [{ type: "number", minimum: 0 }, { type: "string" }],
};
/** An enumeration takes null only if it lists it. */
export const nullable = (schema: SchemaObject): SchemaObject => ({
  ...schema,
  ...(Array.isArray(schema["enum"]) ? { enum: [...(schema["enum"] as unknown[]), null] } : {}),
  nullable: true,
});
export const oneOf = (values: readonly string[]): SchemaObject => ({ type: "string", enum: [...values] });
export const list = (items: SchemaObject, more: SchemaObject = {}): SchemaObject => ({ type: "array", items, ...more });
export const ref = (name: string): SchemaObject => ({ $ref: `#/components/schemas/${name}` });
/** The wait between attempts, described or by the name of a known ladder. */
export const backoffSetting: SchemaObject = { oneOf: [ref("BackoffInput"), oneOf(["alipay", "rocketmq"])] };
export const object = (properties: Record<string, SchemaObject>, required: readonly string[] = []): SchemaObject => ({
  type: "object",
  properties,
  ...(required.length > 0 ? { required: [...required] } : {}),
});
/** An object of ours: every field is always there. */
export const answer = (properties: Record<string, SchemaObject>): SchemaObject =>
  object(properties, Object.keys(properties));
/** An object of the client's: unknown fields are refused. */
export const input = (properties: Record<string, SchemaObject>, required: readonly string[] = []): SchemaObject => ({
  ...object(properties, required),
  additionalProperties: false,
});
