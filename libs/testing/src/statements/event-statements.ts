import {
  type BootId,
  type ClusterEvent,
  type ClusterEventDraft,
  type ClusterEventFacts,
  type Leadership,
  MAX_EVENT_NAMES,
  type PastEvent,
  type Silence,
  type TypeId,
  type View,
} from "@tickwheel/core";
import type { StatementScope } from "../database/statement-scope.js";
import { copyOf } from "../system/copy-of.js";

/** Appends an event of now. */
export function tell(scope: StatementScope, event: ClusterEventDraft): void {
  tellPast(scope, { ...event, agoMs: 0 });
}

/** Appends an event, unless it repeats what the one before it has told of a silence. */
export function tellPast(scope: StatementScope, { agoMs, ...event }: PastEvent): void {
  const { kind, bootId } = event;
  const isOfSilence = kind === "SUSPECT" || kind === "RECOVERED";
  if (isOfSilence && (kind === "SUSPECT") === isSuspect(scope, bootId)) return;
  const node = bootId === null ? undefined : scope.nodes.newest(bootId);
  const id = String(++scope.host.tables.lastEvent.id);
  const label = node?.label ?? scope.label(bootId);
  scope.clusterEvents.put(id, copyOf({ ...event, id, at: scope.now - agoMs, label, name: node?.name ?? null }));
}

export function joinedFacts(
  scope: StatementScope,
  { version, typeIds, places }: { version: string; typeIds: readonly TypeId[]; places: number },
): ClusterEventFacts["JOINED"] {
  return { version, types: namesOf(scope, typeIds), typeCount: typeIds.length, places };
}

export function viewFacts({ number, term, nodes }: View): ClusterEventFacts["VIEW"] {
  const named = nodes.slice(0, MAX_EVENT_NAMES).map(({ bootId, label }) => ({ bootId, label }));
  return { view: number, term, nodes: named, nodeCount: nodes.length };
}

/** The facts about a node that this transaction has set to dead. */
export function deathFacts(
  scope: StatementScope,
  { bootId, silence, leader }: { bootId: BootId; silence?: Silence; leader: Leadership },
): ClusterEventFacts["DEAD"] {
  const terms = newestFirst(scope).flatMap((event) => (event.kind === "TERM" ? event.facts : []));
  return {
    ...silence,
    term: leader.term,
    led: terms[0]?.before?.bootId === bootId,
    blocked: scope.nodes.newest(bootId)?.blocked ?? null,
    orphanedTypes: orphanedTypes(scope, bootId),
  };
}

/** Types that no live node runs without this one. */
export function orphanedTypes(scope: StatementScope, bootId: BootId): string[] {
  const others = scope.nodes.values().filter((node) => node.state === "live" && node.bootId !== bootId);
  const served = new Set(others.flatMap(({ typeIds }) => typeIds));
  const own = scope.nodes.newest(bootId)?.typeIds ?? [];
  return namesOf(
    scope,
    own.filter((typeId) => !served.has(typeId)),
  );
}

/** As a statement sees them. */
export function newestFirst({ clusterEvents }: StatementScope): ClusterEvent[] {
  return clusterEvents.values().sort((one, other) => other.at - one.at || Number(other.id) - Number(one.id));
}

function isSuspect(scope: StatementScope, bootId: BootId | null): boolean {
  const { clusterEvents, host } = scope;
  const own = [...host.tables.clusterEvents.keys()].flatMap((id) => clusterEvents.newest(id) ?? []);
  const last = own
    .filter((event) => event.bootId === bootId && (event.kind === "SUSPECT" || event.kind === "RECOVERED"))
    .sort((one, other) => other.at - one.at || Number(other.id) - Number(one.id))[0];
  return last?.kind === "SUSPECT";
}

function namesOf({ types }: StatementScope, typeIds: readonly TypeId[]): string[] {
  const known = new Set(typeIds);
  const names = types.values().flatMap(({ id, type }) => (known.has(id) ? type : []));
  return [...new Set(names)].sort().slice(0, MAX_EVENT_NAMES);
}
