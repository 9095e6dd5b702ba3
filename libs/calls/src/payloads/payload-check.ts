import { type Fault, JSON_NULL, type JsonText, jsonValueOf, type MergeJudge, type TypePolicy } from "@tickwheel/core";
import { MAX_FAULTS, payloadText, throwFaults } from "@tickwheel/contract";
import type { AnnouncedSchemas } from "./announced-schemas.js";
import { versionToStore } from "./payload-version.js";
import type { PayloadRules } from "./read-payload.js";

/** A payload on its way in. */
export interface GivenPayload {
  namespace: string;
  type: string;
  payload: JsonText;
  /** The rules of the call's own definition. Absent: the call names a type, or its definition has no schema. */
  rules?: PayloadRules | undefined;
}

/** A payload of an input that may have other faults. */
export interface PayloadOfInput extends Omit<GivenPayload, "payload"> {
  payload: unknown;
  /** Whether the input's own rules found no fault: then it is text. */
  isChecked: boolean;
  /** Whether it may be merged into that of a task which has its key. Default: it may not. */
  mayMerge?: boolean | undefined;
}

/** What a check finds. */
export interface PayloadFinding {
  faults: readonly Fault[];
  /** The version to be stored; null: none. */
  version: number | null;
  /** For a merge, which may give a part: judges the merged payload. Absent: it was checked as it is. */
  judge?: MergeJudge;
}

/** What is known of the payloads of a type. */
interface Known {
  rules: PayloadRules | undefined;
  /** The announced JSON Schema. */
  schema: string | undefined;
  version: number | null;
}

const NOTHING: PayloadFinding = { faults: [], version: null };

/**
 * Checks payloads where they come in, by the best that this process knows of their type: the call's own definition,
 * that of its handler here, the JSON Schema that the cluster announces.
 */
export class PayloadCheck {
  /** By type, of this node's namespace. */
  private readonly ofHandlers = new Map<string, PayloadRules>();

  /** @param namespace of this node's handlers */
  constructor(
    private readonly namespace: string,
    private readonly announced: AnnouncedSchemas,
  ) {}

  /** Notes how a handler's definition checks. */
  know(type: string, rules: PayloadRules | undefined): void {
    if (rules) this.ofHandlers.set(type, rules);
  }

  /** Checks the payload of an input, whose other faults are told beside its own; null and absent are JSON's null. */
  checkInput(given: PayloadOfInput, path: string): PayloadFinding {
    const known = this.knownOf(given);
    if (known === null) return NOTHING;
    const { payload = null, isChecked, mayMerge } = given;
    if (isChecked && mayMerge) return { faults: [], version: known.version, judge: this.judgeOf(given.type, known) };
    const text = payload === null ? JSON_NULL : isChecked ? (payload as JsonText) : payloadText(payload);
    // The input's own rule reports a value that is not JSON.
    if (text === undefined) return NOTHING;
    const faults = this.faultsOf(given.type, known, text);
    return { faults: path === "" ? faults : faults.map((fault) => below(path, fault)), version: known.version };
  }

  check(given: GivenPayload): PayloadFinding {
    const known = this.knownOf(given);
    if (known === null) return NOTHING;
    return { faults: this.faultsOf(given.type, known, given.payload), version: known.version };
  }

  /** @throws TickwheelError `VALIDATION_FAILED` with every fault */
  require(given: GivenPayload): PayloadFinding {
    const found = this.check(given);
    throwFaults(found.faults);
    return found;
  }

  /** What is known of a type's payloads: what the cluster announces, else what this process's handler has. */
  shown(named: { namespace: string; type: string }): Pick<TypePolicy, "payloadSchema" | "payloadVersion"> {
    const announced = this.announced.policyOf(named);
    if (announced?.payloadSchema !== undefined || announced?.payloadVersion !== undefined) return announced;
    const rules = this.ofHandler(named);
    return { payloadSchema: rules?.schema.jsonSchema() ?? undefined, payloadVersion: rules?.version ?? undefined };
  }

  private ofHandler({ namespace, type }: { namespace: string; type: string }): PayloadRules | undefined {
    return namespace === this.namespace ? this.ofHandlers.get(type) : undefined;
  }

  private judgeOf(type: string, known: Known): MergeJudge {
    return (payload) => this.faultsOf(type, known, payload).slice(0, MAX_FAULTS);
  }

  private faultsOf(type: string, { rules, schema }: Known, payload: JsonText): readonly Fault[] {
    if (rules) {
      const checked = rules.schema.check(jsonValueOf(payload));
      return "faults" in checked ? checked.faults : [];
    }
    return schema === undefined ? [] : this.announced.check(type, schema, payload);
  }

  /** Null: nothing is, as of most types. Every create asks, so it costs two look-ups and no more. */
  private knownOf(given: Omit<GivenPayload, "payload">): Known | null {
    if (typeof given.type !== "string") return null;
    const rules = given.rules ?? this.ofHandler(given);
    const policy = this.announced.policyOf(given);
    const schema = policy?.payloadSchema;
    if (rules === undefined && schema === undefined && policy?.payloadVersion === undefined) return null;
    return { rules, schema, version: versionToStore(rules?.version, policy?.payloadVersion) };
  }
}

function below(path: string, fault: Fault): Fault {
  return { ...fault, path: `${path}.${fault.path}` };
}
