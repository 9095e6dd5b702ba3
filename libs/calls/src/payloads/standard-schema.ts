import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { EarlyEnd } from "./early-end.js";
import { invalid } from "./invalid.js";
import { faultsOfIssues, THREW } from "./payload-faults.js";
import type { Checked, PayloadSchema } from "./payload-schema.js";
import { isLarge } from "./payload-size.js";

type Standard = StandardSchemaV1["~standard"] & Partial<Pick<StandardJSONSchemaV1["~standard"], "jsonSchema">>;
type Result = StandardSchemaV1.Result<unknown>;

/** What is used of a zod schema beside the standard. */
interface ZodSchema {
  safeParse(
    value: unknown,
  ): { success: true; data: unknown } | { success: false; error: StandardSchemaV1.FailureResult };
}

/** The same of one of valibot. */
interface ValibotSchema {
  "~run"(dataset: { value: unknown }, config: { abortEarly: boolean }): Result | Promise<Result>;
}

/** A schema of any library that keeps to Standard Schema 1.x. */
export class StandardSchema implements PayloadSchema {
  private readonly standard: Standard;
  private readonly earlyEnd: EarlyEnd | null;

  constructor(
    private readonly type: string,
    private readonly schema: { readonly "~standard": Standard },
  ) {
    this.standard = schema["~standard"];
    const { vendor, jsonSchema } = this.standard;
    this.earlyEnd = vendor === "zod" && jsonSchema ? new EarlyEnd(jsonSchema.input) : null;
  }

  check(value: unknown): Checked {
    const early = this.earlyEnd?.faultsOf(value) ?? [];
    if (early.length > 0) return { faults: early };
    let result: Result | Promise<Result> | null;
    try {
      result = this.resultOf(value);
    } catch {
      return { faults: [THREW] };
    }
    if (result === null || "then" in result) {
      result?.catch(() => undefined);
      throw invalid(this.type, "has a schema that answers with a promise: what checks a payload must not wait");
    }
    return result.issues ? { faults: faultsOfIssues(value, result.issues) } : { value: result.value };
  }

  private resultOf(value: unknown): Result | Promise<Result> | null {
    if (isZod(this.schema)) return parsedByZod(this.schema, value);
    const endsEarly = isValibot(this.schema) && isLarge(value);
    return endsEarly ? this.schema["~run"]({ value }, { abortEarly: true }) : this.standard.validate(value);
  }

  jsonSchema(): string | null {
    try {
      const made = this.standard.jsonSchema?.input({ target: "draft-2020-12" });
      return made === undefined ? null : JSON.stringify(made);
    } catch {
      return null;
    }
  }
}

/**
 * As zod's, the faults of its unions are very many. For a large payload it reports the first one, and looks no further.
 */
function isValibot(schema: {
  readonly "~standard": Standard;
}): schema is { readonly "~standard": Standard } & ValibotSchema {
  return schema["~standard"].vendor === "valibot" && typeof (schema as Partial<ValibotSchema>)["~run"] === "function";
}

function isZod(schema: { readonly "~standard": Standard }): schema is { readonly "~standard": Standard } & ZodSchema {
  return schema["~standard"].vendor === "zod" && typeof (schema as Partial<ZodSchema>).safeParse === "function";
}

/**
 * Zod's standard answer to a schema that throws is a promise, as to one that waits: only its own method tells them
 * apart. Null: it waits.
 */
function parsedByZod(schema: ZodSchema, value: unknown): Result | null {
  try {
    const result = schema.safeParse(value);
    return result.success ? { value: result.data } : { issues: result.error.issues };
  } catch (error) {
    if (error instanceof Error && error.constructor.name === "$ZodAsyncError") return null;
    throw error;
  }
}
