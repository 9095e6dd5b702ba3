import type { Fault, Json, TelemetryEvent, TypePolicy } from "@tickwheel/core";
import type { AnySchema, ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { faultsOfIssues, type PayloadIssue } from "./payload-faults.js";

/** As many compiled schemas are kept; the longest unused one goes first. */
const MOST_COMPILED = 256;

/** What is told of a schema that no payload is checked by, once each. */
export type IgnoredSchema = "UNCOMPILABLE" | "TOO_LONG";

/** What stands in no schema that is checked: without patterns its answer would be a guess. */
const UNEVALUATED = /"unevaluated(?:Properties|Items)"\s*:/;
const PATTERN = /"pattern(?:Properties)?"\s*:/;
/** What is right only where all below it is checked. */
const TURNED = /"(?:not|if|contains)"\s*:/;

/** What the cluster announces of a type; undefined: nothing, or this node has not read it yet. */
export type PolicyOf = (named: {
  namespace: string;
  type: string;
}) => Pick<TypePolicy, "payloadSchema" | "payloadVersion"> | undefined;

/**
 * Checks payloads by the JSON Schemas that other nodes announce. Each is compiled once; one that cannot be compiled
 * checks nothing, and is told once while it is kept. Nothing is fetched: a reference to elsewhere cannot be compiled.
 *
 * No `pattern` is run and no `uniqueItems`: on text from outside, a bad one of any application could block the loop of
 * a node that serves all. What is left is never stricter than the schema; the handler's own node checks the rest.
 */
export class AnnouncedSchemas {
  private readonly ajv = new Ajv2020({
    ...{ strict: false, allErrors: true, validateFormats: false, addUsedSchema: false, logger: false },
    code: { regExp: noPattern },
  });
  /** By the schema's text, the last used one last; null: it cannot be compiled. */
  private readonly compiled = new Map<string, ValidateFunction | null>();

  constructor(
    readonly policyOf: PolicyOf,
    private readonly emit: (event: TelemetryEvent) => void,
  ) {
    for (const keyword of ["uniqueItems", "patternProperties", "oneOf"]) this.ajv.removeKeyword(keyword);
    // Branches that only a pattern tells apart would all fit.
    this.ajv.addKeyword({ keyword: "oneOf", macro: (branches: AnySchema[]) => ({ anyOf: branches }) });
  }

  /** The faults of a payload of this type by a schema's text. */
  check(type: string, schema: string, payload: Json): Fault[] {
    const validate = this.compiledOf(type, schema);
    if (validate === null || validate(payload) === true) return [];
    return faultsOfIssues(payload, (validate.errors ?? []).map(issueOf));
  }

  private compiledOf(type: string, schema: string): ValidateFunction | null {
    const known = this.compiled.get(schema);
    const validate = known === undefined ? this.compile(type, schema) : known;
    this.compiled.delete(schema);
    this.compiled.set(schema, validate);
    const [oldest] = this.compiled.keys();
    if (this.compiled.size > MOST_COMPILED) this.compiled.delete(oldest!);
    return validate;
  }

  private compile(type: string, text: string): ValidateFunction | null {
    try {
      if (UNEVALUATED.test(text) || (PATTERN.test(text) && TURNED.test(text))) throw new Error("needs patterns");
      const schema = JSON.parse(text) as { $async?: unknown; $id?: unknown };
      // What has an id would be known by it; what is asynchronous answers with promises.
      const { $async: _async, $id: _id, ...plain } = schema;
      const validate = this.ajv.compile(plain);
      // Compiled ones are kept here alone.
      this.ajv.removeSchema(plain);
      return validate;
    } catch {
      this.emit(ignoredSchema(type, "UNCOMPILABLE"));
      return null;
    }
  }
}

/** That a type's payloads are not checked by its JSON Schema. */
export function ignoredSchema(type: string, why: IgnoredSchema): TelemetryEvent {
  const reason = why === "TOO_LONG" ? "is longer than 16 KiB, and is not announced" : "cannot be compiled";
  return {
    name: "payload.schema.ignored",
    level: "warn",
    message: `The JSON Schema of "${type}" ${reason}: nodes without its definition do not check its payloads`,
    facts: { type, why },
  };
}

/** In place of every regular expression of a schema. */
function noPattern(): { test: () => boolean } {
  return { test: () => true };
}
noPattern.code = "() => ({ test: () => true })";

/** An error of ajv, at the field that it is about. */
function issueOf({ instancePath, params, keyword, message = "" }: ErrorObject): PayloadIssue {
  const path = instancePath.split("/").slice(1).map(unescaped);
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
  if (keyword === "required" && missingProperty !== undefined)
    return { path: [...path, missingProperty], message: "is required" };
  if (additionalProperty !== undefined) return { path: [...path, additionalProperty], message: "is not a known field" };
  return { path, message };
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
