import type { Json } from "@tickwheel/core";
import { isObject, type JsonObject, malformed } from "./keyword.js";

/** What stands there is a value, and no schema. */
const VALUES = new Set(["const", "enum", "default", "examples"]);

/**
 * Finds the schemas that references of one schema name. Nothing is fetched: all of them stand in this schema, which has
 * no other one with an id in it. So the outermost `$dynamicAnchor` of a name is the only one, and a `$dynamicRef` is
 * found like a `$ref`.
 */
export class SchemaReferences {
  private readonly anchors = new Map<string, Json>();

  /** @throws Error a part has an id of its own */
  constructor(private readonly root: Json) {
    const left: Json[] = [root];
    while (left.length > 0) {
      const next = left.pop()!;
      if (isObject(next) && next !== root && typeof next.$id === "string") throw malformed("an id within");
      if (isObject(next)) this.note(next);
      for (const [name, part] of partsOf(next)) if (!VALUES.has(name)) left.push(part);
    }
  }

  /** @throws Error there is none */
  find(reference: Json): Json {
    if (typeof reference !== "string") throw malformed("no reference");
    const id = isObject(this.root) && typeof this.root.$id === "string" ? this.root.$id : "";
    const local = reference.startsWith(`${id}#`) ? reference.slice(id.length) : reference;
    if (!local.startsWith("#")) throw malformed("a reference to elsewhere");
    const fragment = decodeURIComponent(local.slice(1));
    const found = fragment === "" || fragment.startsWith("/") ? this.at(fragment) : this.anchors.get(fragment);
    if (found === undefined) throw malformed("a reference to nothing");
    return found;
  }

  private note(schema: JsonObject): void {
    const { $anchor, $dynamicAnchor } = schema;
    for (const name of [$anchor, $dynamicAnchor]) if (typeof name === "string") this.anchors.set(name, schema);
  }

  private at(pointer: string): Json | undefined {
    let found: Json | undefined = this.root;
    for (const part of pointer.split("/").slice(1)) {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      const parts: Json | undefined = found;
      if (typeof parts !== "object" || parts === null || !Object.hasOwn(parts, name)) return undefined;
      found = (parts as JsonObject)[name];
    }
    return found;
  }
}

function partsOf(value: Json): readonly (readonly [string, Json])[] {
  return typeof value === "object" && value !== null ? Object.entries(value as JsonObject) : [];
}
