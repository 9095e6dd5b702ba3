import assert from "node:assert/strict";
import {
  type BootId,
  type EpochMs,
  FIRST_VITALS,
  type FlowLimit,
  type LimitValues,
  type Pause,
  type PauseSubject,
  type Revision,
  type SettingReply,
  type Settings,
  type SettableValues,
} from "@tickwheel/core";
import { labelOf, type Scenario } from "../subject/scenario.js";

const actor = "operator";

/** What people set for the type of a scenario, and what of all settings is about its namespace. */
export class SettingScene {
  constructor(readonly scene: Scenario) {}

  get store() {
    return this.scene.subject.settings();
  }

  /** The type of the scenario. */
  get type(): PauseSubject {
    return { ...this.namespace, typeId: this.scene.type.id };
  }

  get namespace(): PauseSubject {
    return { namespace: this.scene.namespace, typeId: null, key: null };
  }

  key(key: string): PauseSubject {
    return { ...this.type, key };
  }

  pause(
    subject: PauseSubject,
    {
      until = null,
      reason = null,
      ...how
    }: { until?: EpochMs | null; reason?: string | null; isOnlyLater?: true } = {},
  ): Promise<SettingReply> {
    return this.store.changeSettings({ kind: "pause", actor, subject, until, reason, ...how });
  }

  resume(subject: PauseSubject): Promise<SettingReply> {
    return this.store.changeSettings({ kind: "resume", actor, subject });
  }

  set(values: Partial<SettableValues>, typeId = this.scene.type.id): Promise<SettingReply> {
    return this.store.changeSettings({ kind: "type", actor, typeId, values });
  }

  /** Sets the limits of the scenario's namespace. */
  setNamespace(values: Partial<LimitValues>): Promise<SettingReply> {
    const { namespace } = this.scene;
    return this.store.changeSettings({ kind: "namespace", actor, namespace, values });
  }

  /** The limits in the scenario's namespace. */
  async limits(): Promise<FlowLimit[]> {
    return (await this.store.readSettings()).limits.filter(({ namespace }) => namespace === this.scene.namespace);
  }

  async pauses(): Promise<Pause[]> {
    return (await this.store.readSettings()).pauses.filter(({ namespace }) => namespace === this.scene.namespace);
  }

  /** The values of the scenario's type, as those settings have them; null: they have no row of it. */
  async concurrency(settings?: Settings): Promise<number | null> {
    const { types } = settings ?? (await this.store.readSettings());
    return types.find(({ typeId }) => typeId === this.scene.type.id)?.concurrency ?? null;
  }

  /** A claim of the scenario's node, which knows that these keys of its type are paused: the ids of what it takes. */
  async claimBeside(keys: readonly string[], ids: readonly string[]): Promise<string[]> {
    const { store, node: owner, type } = this.scene;
    const pausedKeys = keys.map((key) => ({ typeId: type.id, key }));
    const reply = await store.claim({ owner, ids, claimAheadMs: 0, pausedKeys });
    assert.equal(reply.fenced, false);
    return reply.tasks.map(({ id }) => id);
  }

  /** One look; the ids of those of these tasks that it has resumed. */
  async look(...ids: readonly string[]): Promise<string[]> {
    const hints = await this.store.resumeEndedKeys(10_000);
    return hints.map(({ id }) => id).filter((id) => ids.includes(id));
  }

  /** The node says that it obeys the revision. */
  async obey(bootId: BootId, { timeline, number }: Revision): Promise<void> {
    const vitals = { ...FIRST_VITALS, settings: [timeline, number] as const };
    assert.ok(await this.scene.subject.cluster().beat(bootId, vitals), "the node has a heartbeat");
  }

  /** Who of these nodes is behind the revision. */
  async behind(revision: Revision, ...nodes: readonly BootId[]): Promise<BootId[]> {
    const labels = await this.store.nodesBehind(revision);
    assert.ok(labels, "the revision is in force");
    return nodes.filter((bootId) => labels.includes(labelOf(bootId)));
  }
}

/** The revision of a change that was written. */
export function changed(reply: SettingReply): Revision {
  assert.equal(reply.outcome, "changed");
  return (reply as { revision: Revision }).revision;
}
