import {
  type Fault,
  type Json,
  type JsonText,
  jsonValueOf,
  type TelemetryEvent,
  type TypePolicy,
} from "@tickwheel/core";
import { checkBySchema } from "../json-schema/check-by-schema.js";
import { compileSchema } from "../json-schema/compile-schema.js";
import type { Check } from "../json-schema/look.js";
import { ignoredSchema, type IgnoredSchema } from "./ignored-schema.js";
import { MOST_FAULTS } from "./payload-faults.js";
import { isTooLong } from "./schema-bytes.js";

/** As many compiled schemas are kept; the longest unused one goes first. */
const MOST_COMPILED = 256;

type PayloadPolicy = Pick<TypePolicy, "payloadSchema" | "payloadVersion">;

/** What the cluster announces of a type; undefined: nothing, or this node has not read it yet. */
export type PolicyOf = (named: { namespace: string; type: string }) => PayloadPolicy | undefined;

/** A schema that is kept. */
interface Compiled {
  /** Null: it checks nothing. */
  check: Check | null;
  /** What was told of it. */
  told?: IgnoredSchema;
}

/**
 * Checks payloads by the JSON Schemas that other nodes announce. Any application of the cluster announces, and a node
 * serves all: so nothing of a schema is believed. One that is longer than a node announces is not read, one that cannot
 * be compiled checks nothing, and each look is bounded by the payload's size (ADR 50). All of that is told once while
 * the schema is kept. The check is never stricter than the schema; the handler's own node checks the rest.
 */
export class AnnouncedSchemas {
  /** By the schema's text, the last used one last. */
  private readonly compiled = new Map<string, Compiled>();
  /** Types whose schemas were too long, while they are. */
  private readonly tooLong = new Set<string>();

  /** @param announced as the store has it: other nodes wrote it */
  constructor(
    private readonly announced: PolicyOf,
    private readonly emit: (event: TelemetryEvent) => void,
  ) {}

  /** What the cluster announces of a type, without a schema that is too long to be one of ours. */
  policyOf(named: { namespace: string; type: string }): PayloadPolicy | undefined {
    const policy = this.announced(named);
    const schema: unknown = policy?.payloadSchema;
    if (schema === undefined || (typeof schema === "string" && !isTooLong(schema))) return policy;
    this.tellTooLong(named);
    return { ...policy, payloadSchema: undefined };
  }

  /** The faults of a payload of this type by a schema's text; one more than an error tells, at most. */
  check(type: string, schema: string, payload: JsonText): readonly Fault[] {
    const compiled = this.compiledOf(type, schema);
    if (compiled.check === null) return [];
    const sized = { value: jsonValueOf(payload), bytes: payload.length };
    const { faults, isCut } = checkBySchema(compiled.check, sized, MOST_FAULTS);
    if (isCut && faults.length === 0) this.tell(type, compiled, "TOO_COSTLY");
    return faults;
  }

  private compiledOf(type: string, schema: string): Compiled {
    const compiled = this.compiled.get(schema) ?? this.compile(type, schema);
    this.compiled.delete(schema);
    this.compiled.set(schema, compiled);
    const [oldest] = this.compiled.keys();
    if (this.compiled.size > MOST_COMPILED) this.compiled.delete(oldest!);
    return compiled;
  }

  private compile(type: string, text: string): Compiled {
    try {
      return { check: compileSchema(JSON.parse(text) as Json) };
    } catch {
      const compiled = { check: null };
      this.tell(type, compiled, "UNCOMPILABLE");
      return compiled;
    }
  }

  private tell(type: string, compiled: Compiled, why: IgnoredSchema): void {
    if (compiled.told === undefined) this.emit(ignoredSchema(type, why));
    compiled.told = why;
  }

  private tellTooLong({ namespace, type }: { namespace: string; type: string }): void {
    const name = JSON.stringify([namespace, type]);
    if (this.tooLong.has(name)) return;
    const [oldest] = this.tooLong;
    if (this.tooLong.size >= MOST_COMPILED) this.tooLong.delete(oldest!);
    this.tooLong.add(name);
    this.emit(ignoredSchema(type, "TOO_LONG"));
  }
}
