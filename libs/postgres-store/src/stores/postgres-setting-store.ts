import {
  changedValues,
  type ClusterEventFacts,
  decideSetting,
  type EpochMs,
  hasLimit,
  isOtherLimit,
  isOtherSetting,
  type KnownSubject,
  namespaceOfChange,
  type Revision,
  type SettingChange,
  type SettingReply,
  type Settings,
  type SettingStore,
  settingFacts,
  slotOfKey,
  type TaskHint,
  TickwheelError,
  typeOfChange,
} from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { ReadPool } from "../connection/read-pool.js";
import type { Session } from "../connection/session.js";
import { appendClusterEvents } from "../statements/events/append-cluster-events.js";
import { readTimeline } from "../statements/server/timeline.js";
import { knownSubject } from "../statements/settings/known-subject.js";
import { lockPullTypes } from "../statements/settings/lock-pull-types.js";
import { lockRevision, raiseRevision } from "../statements/settings/lock-revision.js";
import { nodesBehind } from "../statements/settings/nodes-behind.js";
import { readSettings } from "../statements/settings/read-settings.js";
import { forgetPauses, resumeEndedKeys } from "../statements/settings/resume-ended-keys.js";
import { deleteLimit, writeLimit } from "../statements/settings/write-limit.js";
import { endPause, writePause } from "../statements/settings/write-pause.js";
import { writeTypeSetting } from "../statements/settings/write-type-setting.js";

/** Each statement of a change has this long, a wait for another change included. */
const TIMEOUT_MS = 2_000;

type ValueChange = Extract<SettingChange, { values: unknown }>;

interface WantedChange {
  change: SettingChange;
  /** The server's. */
  timeline: number;
  asOf: EpochMs | null;
}

/**
 * What people set, as rows. Changes use the connections for reads, never the engine's. A node that must read the
 * settings starts nothing until it has, so that read goes before all others, over the engine's. A change waits for the
 * changes before it and for nobody else. It waits for the pulls under way of the types that
 * it concerns. Lock order: revision, types, rows of settings, buckets [lock-order].
 */
export class PostgresSettingStore implements SettingStore {
  constructor(
    private readonly database: Pick<PostgresDatabase, "run">,
    private readonly reads: Pick<ReadPool, "run" | "transaction">,
    private readonly options: { asOf?: () => EpochMs } = {},
  ) {}

  async readSettings(): Promise<Settings> {
    return (await this.database.run(readSettings, { asOf: this.asOf() }))[0]!;
  }

  async changeSettings(change: SettingChange): Promise<SettingReply> {
    const timeline = await this.timeline();
    return this.reads.transaction((session) => changeSettings(session, { change, timeline, asOf: this.asOf() }), {
      statementTimeoutMs: TIMEOUT_MS,
    });
  }

  async nodesBehind(revision: Revision): Promise<string[] | null> {
    return (await this.reads.run(nodesBehind, revision))[0]!;
  }

  resumeEndedKeys(limit: number): Promise<TaskHint[]> {
    return this.reads.run(resumeEndedKeys, { limit, asOf: this.asOf() });
  }

  private async timeline(): Promise<number> {
    const [hexadecimal] = await this.reads.run(readTimeline, {});
    if (hexadecimal) return Number.parseInt(hexadecimal, 16);
    throw new TickwheelError("STORE_UNAVAILABLE", "Postgres is a standby now, so no setting can be changed");
  }

  private asOf(): EpochMs | null {
    return this.options.asOf?.() ?? null;
  }
}

async function changeSettings(session: Session, { change, timeline, asOf }: WantedChange): Promise<SettingReply> {
  const [inForce] = await session.run(lockRevision, null);
  const subject = { namespace: namespaceOfChange(change), typeId: typeOfChange(change), key: keyOf(change) };
  await session.run(lockPullTypes, subject);
  const [known] = await session.run(knownSubject, { ...subject, asOf });
  const outcome = decideSetting(change, known!);
  if (outcome === "unchanged") return { outcome, revision: inForce! };
  if (outcome !== "changed") return { outcome };
  const [revision] = await session.run(raiseRevision, { timeline });
  await session.run(forgetPauses, { asOf });
  await write(session, { change, known: known!, asOf });
  const facts: ClusterEventFacts["SETTINGS_CHANGED"] = settingFacts(change, known!, revision!);
  const event = { kind: "SETTINGS_CHANGED", bootId: null, facts, agoMs: 0 } as const;
  await session.run(appendClusterEvents, { events: [event], asOf });
  return { outcome, revision: revision! };
}

async function write(
  session: Session,
  { change, known, asOf }: { change: SettingChange; known: KnownSubject; asOf: EpochMs | null },
): Promise<void> {
  if (change.kind === "resume") {
    await session.run(endPause, { ...change.subject, asOf });
  } else if (change.kind !== "pause") {
    await writeValues(session, { change, known, asOf });
  } else {
    const { subject, until, reason, actor } = change;
    const slot = subject.key === null ? null : slotOfKey(subject.namespace, known.type!.type, subject.key);
    await session.run(writePause, { subject, slot, until, reason, actor, asOf });
  }
}

/** Writes what differs: the row of a type's settings, the one of its limits, or both. */
async function writeValues(
  session: Session,
  { change, known, asOf }: { change: ValueChange; known: KnownSubject; asOf: EpochMs | null },
): Promise<void> {
  const { actor } = change;
  const values = changedValues(known.values, change.values);
  const typeId = typeOfChange(change);
  if (typeId !== null && isOtherSetting(values, known.values))
    await session.run(writeTypeSetting, { typeId, values, actor, asOf });
  if (!isOtherLimit(values, known.values)) return;
  const subject = { namespace: namespaceOfChange(change) ?? known.type!.namespace, typeId };
  if (hasLimit(values)) await session.run(writeLimit, { ...subject, values, actor, asOf });
  else await session.run(deleteLimit, subject);
}

function keyOf(change: SettingChange): string | null {
  return "subject" in change ? change.subject.key : null;
}
