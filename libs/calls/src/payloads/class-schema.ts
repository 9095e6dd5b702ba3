import { createRequire } from "node:module";
import type { Fault } from "@tickwheel/core";
import { invalid } from "./invalid.js";
import { faultsOfIssues, type PayloadIssue, THREW } from "./payload-faults.js";
import type { Checked, PayloadSchema } from "./payload-schema.js";

/** A class whose properties have decorators of class-validator. */
export type PayloadClass = new () => object;

/** What is used of a `ValidationError` of class-validator. */
interface ClassError {
  property: string;
  constraints?: Record<string, string>;
  children?: ClassError[];
}
interface ClassLibraries {
  plainToInstance(type: PayloadClass, value: unknown): object;
  validateSync(value: object, options: { forbidUnknownValues: boolean }): ClassError[];
}

const NO_OBJECT: Fault = { path: "payload", message: "must be an object" };

/**
 * A class of class-validator: what it checks and gives is an instance, made by class-transformer. Both are loaded here
 * and nowhere else: who has no such class needs neither.
 */
export class ClassSchema implements PayloadSchema {
  private readonly libraries: ClassLibraries;

  constructor(
    type: string,
    private readonly payloadClass: PayloadClass,
  ) {
    this.libraries = { ...load(type, "class-transformer"), ...load(type, "class-validator") };
  }

  check(value: unknown): Checked {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return { faults: [NO_OBJECT] };
    try {
      const made = this.libraries.plainToInstance(this.payloadClass, value);
      const errors = this.libraries.validateSync(made, { forbidUnknownValues: true });
      return errors.length === 0 ? { value: made } : { faults: faultsOfIssues(value, issuesOf(errors, [])) };
    } catch {
      return { faults: [THREW] };
    }
  }

  jsonSchema(): null {
    return null;
  }
}

/** As they are asked for: of very many, a few are told. */
function* issuesOf(errors: readonly ClassError[], above: readonly string[]): Generator<PayloadIssue> {
  for (const { property, constraints = {}, children = [] } of errors) {
    const path = [...above, property];
    for (const message of Object.values(constraints)) yield { path, message };
    yield* issuesOf(children, path);
  }
}

function load(type: string, name: string): ClassLibraries {
  try {
    return createRequire(import.meta.url)(name) as ClassLibraries;
  } catch {
    throw invalid(type, `has a class as its schema, and "${name}" is not installed`);
  }
}
