import type { EpochMs, TypeId } from "../task/task.js";
import type { ClusterEventFacts } from "../ports/cluster-event.js";
import { MAX_PAUSED_KEYS, type Revision, type SettingChange, type TypeSettingValues } from "../ports/setting-store.js";
import { isPauseInForce } from "./pause-in-force.js";

/** What a store knows of a change's subject, while no other change can be written. */
export interface KnownSubject {
  now: EpochMs;
  /** Null: there is no such type, or it is not of the subject's namespace. */
  type: { namespace: string; type: string } | null;
  values: TypeSettingValues;
  /** The pause of this subject that is in force. */
  pause: { until: EpochMs | null; reason: string | null } | null;
  /** How many keys are paused in the cluster. */
  pausedKeys: number;
}

/** What becomes of a change. The stores agree, since each asks this. */
export function decideSetting(
  change: SettingChange,
  known: KnownSubject,
): "changed" | "unchanged" | "too_many_keys" | "no_type" {
  if (typeOfChange(change) !== null && known.type === null) return "no_type";
  if (change.kind === "resume") return known.pause === null ? "unchanged" : "changed";
  if (change.kind === "type") return hasOtherValues(change.values, known.values) ? "changed" : "unchanged";
  const { subject, until, reason } = change;
  if (known.pause !== null)
    return known.pause.until === until && known.pause.reason === reason ? "unchanged" : "changed";
  if (!isPauseInForce(change, known.now)) return "unchanged";
  return subject.key !== null && known.pausedKeys >= MAX_PAUSED_KEYS ? "too_many_keys" : "changed";
}

/** The type that a change is about; null: a namespace. */
export function typeOfChange(change: SettingChange): TypeId | null {
  return change.kind === "type" ? change.typeId : change.subject.typeId;
}

/** The values of a type after a change; what the change does not name stays. */
export function changedValues(values: TypeSettingValues, given: Partial<TypeSettingValues>): TypeSettingValues {
  const { concurrency = values.concurrency, keepSucceededMs = values.keepSucceededMs } = given;
  const { keepDeadMs = values.keepDeadMs } = given;
  return { concurrency, keepSucceededMs, keepDeadMs };
}

function hasOtherValues(given: Partial<TypeSettingValues>, values: TypeSettingValues): boolean {
  const after = changedValues(values, given);
  return (Object.keys(after) as (keyof TypeSettingValues)[]).some((name) => after[name] !== values[name]);
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
  const { namespace, typeId, key } = change.subject;
  const of = key !== null ? "KEY" : typeId !== null ? "TYPE" : "NAMESPACE";
  if (change.kind === "resume") return { ...told, change: "RESUMED", of, namespace };
  return { ...told, change: "PAUSED", of, namespace, until: change.until };
}
