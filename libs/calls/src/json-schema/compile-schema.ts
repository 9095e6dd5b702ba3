import type { Json } from "@tickwheel/core";
import { BRANCH_KEYWORDS } from "./branch-keywords.js";
import { isObject, type JsonObject, type Keyword, malformed } from "./keyword.js";
import { LIST_KEYWORDS } from "./list-keywords.js";
import { type Check, FITS, type Look, UNKNOWN, type Verdict, worstOf } from "./look.js";
import { OBJECT_KEYWORDS } from "./object-keywords.js";
import { SchemaReferences } from "./schema-references.js";
import { UNCHECKED_KEYWORDS } from "./unchecked-keywords.js";
import { VALUE_KEYWORDS } from "./value-keywords.js";

const REFERENCE: Keyword = (given, { refer }) => refer(given);

/** What is cheap and tells most comes first. */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  ...VALUE_KEYWORDS,
  ...LIST_KEYWORDS,
  ...OBJECT_KEYWORDS,
  ...BRANCH_KEYWORDS,
  $ref: REFERENCE,
  $dynamicRef: REFERENCE,
  ...UNCHECKED_KEYWORDS,
};

/** How many schemas may be nested in one another. */
const MOST_NESTED = 100;
const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/**
 * Makes a check of a JSON Schema (draft 2020-12). No code is made of it, and each schema in it is compiled once: that
 * costs as much as reading it. What the check does is bounded by its look.
 *
 * Where it says `MISFIT`, the schema refuses the value. A part that it does not run is `UNKNOWN`, which `not`, `if` and
 * `contains` hand on, so it never refuses what the schema takes.
 *
 * @param more keywords that only its maker knows
 * @throws Error it is no such schema, or one that refers to elsewhere
 */
export function compileSchema(schema: Json, more: Readonly<Record<string, Keyword>> = {}): Check {
  return new SchemaCompiler(schema, Object.entries({ ...KEYWORDS, ...more })).compile();
}

/** A schema that references name; `check` is there once all is compiled. */
interface Target {
  schema: Json;
  check?: Check;
}

class SchemaCompiler {
  private readonly references: SchemaReferences;
  private readonly targets = new Map<Json, Target>();
  private readonly left: Target[] = [];
  private nested = 0;

  constructor(
    private readonly root: Json,
    private readonly keywords: readonly [string, Keyword][],
  ) {
    if (isObject(root) && root.$schema !== undefined && root.$schema !== DRAFT) throw malformed("another draft");
    this.references = new SchemaReferences(root);
  }

  compile(): Check {
    const check = this.sub(this.root);
    for (let target = this.left.pop(); target; target = this.left.pop()) target.check ??= this.sub(target.schema);
    return check;
  }

  private readonly sub = (schema: Json): Check => {
    if (typeof schema === "boolean") return schema ? anything : nothing;
    if (!isObject(schema)) throw malformed("no schema");
    const target = this.target(schema);
    target.check ??= this.ofObject(schema);
    return target.check;
  };

  private readonly refer = (reference: Json): Check => {
    const target = this.target(this.references.find(reference));
    this.left.push(target);
    return (value, look) => target.check!(value, look);
  };

  private target(schema: Json): Target {
    const known = this.targets.get(schema) ?? { schema };
    this.targets.set(schema, known);
    return known;
  }

  private ofObject(schema: JsonObject): Check {
    if (++this.nested > MOST_NESTED) throw malformed("nested too deep");
    const place = { schema, sub: this.sub, refer: this.refer };
    const given = this.keywords.filter(([name]) => Object.hasOwn(schema, name));
    const checks = given.map(([name, keyword]) => keyword(schema[name]!, place));
    this.nested--;
    return (value, look) => {
      if (!look.enter()) return UNKNOWN;
      const verdict = worstOf(checks, value, look);
      look.leave();
      return verdict;
    };
  }
}

function anything(_value: Json, look: Look): Verdict {
  return look.step() ? FITS : UNKNOWN;
}

function nothing(_value: Json, look: Look): Verdict {
  return look.step() ? look.misfit("must not be given") : UNKNOWN;
}
