import { type Fault, JSON_NULL, type JsonText, jsonValueOf, type MergeJudge, type TypePolicy } from "@tickwheel/core";
import { MAX_FAULTS, throwFaults } from "../input/input-faults.js";
import { payloadText } from "../input/payload-input.js";
import type { AnnouncedSchemas } from "./announced-schemas.js";
import { versionToStore } from "./payload-version.js";
import type { PayloadRules } from "./read-payload.js";

/** A payload on its way in. */
export interface GivenPayload {
  namespace: string;
  type: string;
  payload: JsonText;
  /** Of the call's own definition. Absent: the call names a type, or its definition has no schema. */
  rules?: PayloadRules | undefined;
}

/** A payload of an input that may have other faults. */
export interface PayloadOfInput extends Omit<GivenPayload, "payload"> {
  payload: unknown;
  /** Whether the input's own rules found no fault: then it is text. */
  isChecked: boolean;
}

/** What a check finds. */
export interface PayloadFinding {
  faults: readonly Fault[];
  /** The version to be stored; null: none. */
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
  checkInput({ payload = null, isChecked, ...given }: PayloadOfInput, path: string): PayloadFinding {
    if (typeof given.type !== "string" || !this.knows(given)) return NOTHING;
    const text = payload === null ? JSON_NULL : isChecked ? (payload as JsonText) : payloadText(payload);
    // What is no JSON is told by the input's own rule.
    if (text === undefined) return NOTHING;
    const { faults, version } = this.check({ ...given, payload: text });
    return {
      faults: path === "" ? faults : faults.map((fault) => ({ ...fault, path: `${path}.${fault.path}` })),
      version,
    };
  }

  /** How a merge of this type is judged: by what it comes to. Null: nothing is known of the type's payloads. */
  ofMerge(given: Omit<GivenPayload, "payload">): { version: number | null; judge: MergeJudge } | null {
    if (typeof given.type !== "string" || !this.knows(given)) return null;
    const { payloadVersion } = this.announced.policyOf(given) ?? {};
    const version = versionToStore(this.rulesOf(given)?.version, payloadVersion);
    return { version, judge: (payload) => this.check({ ...given, payload }).faults.slice(0, MAX_FAULTS) };
  }

  check(given: GivenPayload): PayloadFinding {
    const { type, payload } = given;
    const rules = this.rulesOf(given);
    const { payloadSchema, payloadVersion } = this.announced.policyOf(given) ?? {};
    const version = versionToStore(rules?.version, payloadVersion);
    if (rules) {
      const checked = rules.schema.check(jsonValueOf(payload));
      return { faults: "faults" in checked ? checked.faults : [], version };
    }
    const faults = payloadSchema === undefined ? [] : this.announced.check(type, payloadSchema, jsonValueOf(payload));
    return { faults, version };
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
    const rules = this.rulesOf(named);
    return { payloadSchema: rules?.schema.jsonSchema() ?? undefined, payloadVersion: rules?.version ?? undefined };
  }

  private knows(given: Omit<GivenPayload, "payload">): boolean {
    return this.rulesOf(given) !== undefined || this.announced.policyOf(given) !== undefined;
  }

  private rulesOf({ namespace, type, rules }: Omit<GivenPayload, "payload">): PayloadRules | undefined {
    return rules ?? (namespace === this.namespace ? this.ofHandlers.get(type) : undefined);
  }
}
