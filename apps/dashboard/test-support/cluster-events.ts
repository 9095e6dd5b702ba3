import type { ClusterEvent, ClusterEventFacts, ClusterEventKind, ClusterNode } from "../src/api/wire.js";

/** 03:00:00 of some day. */
export const t0 = Date.parse("2026-11-21T03:00:00.000Z");

let ids = 0;

/** An event of node `label`, `atS` seconds after `t0`; its boot id is its label with `boot-` before it. */
export function eventOf<Kind extends ClusterEventKind>(
  kind: Kind,
  {
    atS,
    label,
    facts,
    lastBeatS,
  }: { atS: number; label: string | null; facts: ClusterEventFacts[Kind]; lastBeatS?: number },
): ClusterEvent {
  const node = label === null ? null : { bootId: `boot-${label}`, label, name: `name-${label}` };
  const lastBeatAt = lastBeatS === undefined ? null : isoOf(lastBeatS);
  return { id: String(++ids), at: isoOf(atS), kind, node, lastBeatAt, facts } as unknown as ClusterEvent;
}

/** A node of the cluster's report. */
export function nodeOf(label: string, fields: Partial<ClusterNode> = {}): ClusterNode {
  return {
    label,
    name: `name-${label}`,
    bootId: `boot-${label}`,
    version: "1.0.0",
    joinedAt: isoOf(-86_400),
    state: "live",
    roles: ["engine"],
    types: [],
    heartbeatAgeMs: 100,
    loopLagMs: 1,
    clockOffsetMs: 0,
    ownedSlots: 2_048,
    wheelSize: 0,
    inFlight: 0,
    places: 100,
    blocked: null,
    away: [],
    ...fields,
  };
}

/** How `c` falls silent at 8.1 s, is suspect at 11.4 s, dead at 15.5 s, and taken over by `a` and `b`; newest first. */
export function deathOfC(): ClusterEvent[] {
  const from = [{ bootId: "boot-c", label: "c", left: "SILENT" as const }];
  return [
    eventOf("SUSPECT", {
      atS: 11.4,
      label: "c",
      lastBeatS: 8.1,
      facts: { silentMs: 3_300, missedBeats: 3, seenBy: "a" },
    }),
    eventOf("DEAD", {
      atS: 15.5,
      label: "c",
      lastBeatS: 8.1,
      facts: {
        silentMs: 7_400,
        missedBeats: 7,
        suspectMs: 4_100,
        term: 9,
        led: true,
        blocked: null,
        orphanedTypes: ["x"],
      },
    }),
    eventOf("TERM", { atS: 15.6, label: "b", facts: { term: 9, before: { bootId: "boot-c", label: "c" } } }),
    eventOf("TAKEOVER", { atS: 16.4, label: "a", facts: { view: 42, from, slots: 683, loadMs: 900, late: 10 } }),
    eventOf("TAKEOVER", { atS: 16.5, label: "b", facts: { view: 42, from, slots: 683, loadMs: 850, late: 4 } }),
    eventOf("REAPED", { atS: 16.6, label: "c", facts: { nodes: ["boot-c"], tasks: 5, dead: 0 } }),
  ].reverse();
}

export function isoOf(atS: number): string {
  return new Date(t0 + Math.round(atS * 1_000)).toISOString();
}
