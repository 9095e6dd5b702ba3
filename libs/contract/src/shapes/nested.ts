import { object, optional } from "./parts.js";
import type { Fields, Shape } from "./shape.js";

/** Parameters with a dot in their names as fields of an object: `not.tag` as `tag` of `not`. */
export function nested(type: string, parameters: readonly (readonly [name: string, field: Shape])[]): Fields {
  const fields: Record<string, Shape> = {};
  const inner: Record<string, Record<string, Shape>> = {};
  for (const [path, field] of parameters) {
    const [name, part] = path.split(".") as [string, string?];
    if (part === undefined) fields[name] = field;
    else {
      const parts = (inner[name] ??= {});
      parts[part] = field;
      const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
      fields[name] ??= optional(object(`${type}${title}`, parts));
    }
  }
  return fields;
}
