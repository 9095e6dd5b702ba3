import type { EpochMs, TypeId } from "../task/task.js";
import type { ClusterEventFacts } from "../ports/cluster-event.js";
import { type LimitValues, MAX_LIMITS_OF_NAMESPACE, type Rate } from "../ports/limit-store.js";
import {
  MAX_PAUSED_KEYS,
  NO_SETTING,
  type Revision,
  type SettableValues,
  type SettingChange,
  type TypeSettingValues,
} from "../ports/setting-store.js";
import { isPauseInForce } from "./pause-in-force.js";

/** What a store knows of a change's subject, while no other change can be written. */
export interface KnownSubject {
  now: EpochMs;
  /** Null: there is no such type, or it is not of the subject's namespace. */
  type: { namespace: string; type: string } | null;
  /** For a namespace: its limits, and null for the rest. */
  values: SettableValues;
  /** The pause of this subject that is in force. */
  pause: { until: EpochMs | null; reason: string | null } | null;
  /** How many keys are paused in the cluster. */
  pausedKeys: number;
  /** How many limits there are in the subject's namespace, but for those of dropped types. */
  limits: number;
}

/** What becomes of a change. */
type Decision = "changed" | "unchanged" | "too_many_keys" | "too_many_limits" | "no_type";

/** What becomes of a change. The stores agree, since each asks this. */
export function decideSetting(change: SettingChange, known: KnownSubject): Decision {
  if (typeOfChange(change) !== null && known.type === null) return "no_type";
  if (change.kind === "resume") return known.pause === null ? "unchanged" : "changed";
  if (change.kind !== "pause") return decideValues(change.values, known);
  const { subject, until, reason, isOnlyLater = false } = change;
  if (known.pause !== null) {
    const isThere = known.pause.until === until && known.pause.reason === reason;
    return isThere || (isOnlyLater && endOf(known.pause) >= endOf(change)) ? "unchanged" : "changed";
  }
  if (!isPauseInForce(change, known.now)) return "unchanged";
  return subject.key !== null && known.pausedKeys >= MAX_PAUSED_KEYS ? "too_many_keys" : "changed";
}

function endOf({ until }: { until: EpochMs | null }): EpochMs {
  return until ?? Infinity;
}

function decideValues(given: Partial<SettableValues>, { values, limits }: KnownSubject): Decision {
  const after = changedValues(values, given);
  if (!isOther(after, values)) return "unchanged";
  const isNewLimit = hasLimit(after) && !hasLimit(values);
  return isNewLimit && limits >= MAX_LIMITS_OF_NAMESPACE ? "too_many_limits" : "changed";
}

/** The type that a change is about; null: a namespace. */
export function typeOfChange(change: SettingChange): TypeId | null {
  if (change.kind === "namespace") return null;
  return change.kind === "type" ? change.typeId : change.subject.typeId;
}

/** The namespace that a change names; null: the one of its type. */
export function namespaceOfChange(change: SettingChange): string | null {
  if (change.kind === "type") return null;
  return change.kind === "namespace" ? change.namespace : change.subject.namespace;
}

/** The values of a subject after a change; what the change does not name stays. */
export function changedValues(values: SettableValues, given: Partial<SettableValues>): SettableValues {
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...values, ...Object.fromEntries(named) };
}

/** Whether there is anything to limit. */
export function hasLimit({ maxRunning, rate }: LimitValues): boolean {
  return maxRunning !== null || rate !== null;
}

/** Whether two limits differ. */
export function isOtherLimit(left: LimitValues, right: LimitValues): boolean {
  return left.maxRunning !== right.maxRunning || isOtherRate(left.rate, right.rate);
}

function isOther(left: SettableValues, right: SettableValues): boolean {
  return isOtherSetting(left, right) || isOtherLimit(left, right);
}

/** Whether two settings differ in what is not a limit. */
export function isOtherSetting(left: TypeSettingValues, right: TypeSettingValues): boolean {
  return (Object.keys(NO_SETTING) as (keyof TypeSettingValues)[]).some((name) => left[name] !== right[name]);
}

function isOtherRate(left: Rate | null, right: Rate | null): boolean {
  return left?.count !== right?.count || left?.perMs !== right?.perMs || left?.burst !== right?.burst;
}

/** What the cluster's event tells of a change. */
export function settingFacts(
  change: SettingChange,
  { type }: KnownSubject,
  revision: Revision,
): ClusterEventFacts["SETTINGS_CHANGED"] {
  const told = { actor: change.actor, ...revision, type: type?.type ?? null };
  if (change.kind === "type")
    return { ...told, change: "SET", of: "TYPE", namespace: type!.namespace, values: change.values };
  if (change.kind === "namespace")
    return { ...told, change: "SET", of: "NAMESPACE", namespace: change.namespace, values: change.values };
  const { namespace, typeId, key } = change.subject;
  const of = key !== null ? "KEY" : typeId !== null ? "TYPE" : "NAMESPACE";
  if (change.kind === "resume") return { ...told, change: "RESUMED", of, namespace };
  return { ...told, change: "PAUSED", of, namespace, until: change.until };
}
