import assert from "node:assert/strict";
import type { BootId, LimitedClaimReply, LimitId, LimitState, LimitValues, TypeId } from "@tickwheel/core";
import { Scenario } from "../subject/scenario.js";
import type { TaskStoreSubject } from "../subject/subject.js";
import { changed, SettingScene } from "./setting-scene.js";

interface LimitedClaim {
  limitIds: readonly LimitId[];
  /** Default: the scenario's node. */
  owner?: BootId;
  /** Default: as many as there are ids. */
  most?: number;
  pausedKeys?: readonly string[];
}

/** Limits of a scenario, and claims within them. */
export class LimitScene {
  readonly setting: SettingScene;

  constructor(readonly scene: Scenario) {
    this.setting = new SettingScene(scene);
  }

  static async open(subject: TaskStoreSubject): Promise<LimitScene> {
    return new LimitScene(await Scenario.open(subject));
  }

  get store() {
    return this.scene.subject.limits();
  }

  /** Sets the limits of a type, by default the scenario's: their number. */
  async limit(values: Partial<LimitValues>, typeId: TypeId = this.scene.type.id): Promise<LimitId> {
    changed(await this.setting.set(values, typeId));
    return this.idOf(typeId);
  }

  async limitNamespace(values: Partial<LimitValues>): Promise<LimitId> {
    changed(await this.setting.setNamespace(values));
    return this.idOf(null);
  }

  async addType(type: string): Promise<TypeId> {
    const { namespace } = this.scene;
    return (await this.scene.store.ensureType({ namespace, type, delivery: "handler" })).id;
  }

  /** The ids of so many due tasks. */
  async due(count: number, typeId: TypeId = this.scene.type.id): Promise<string[]> {
    const tasks = Array.from({ length: count }, () => this.scene.newTask({ typeId }));
    await this.scene.createAll(...tasks);
    return tasks.map(({ id }) => id);
  }

  claim(ids: readonly string[], { limitIds, owner, most, pausedKeys = [] }: LimitedClaim): Promise<LimitedClaimReply> {
    const { node, type } = this.scene;
    return this.store.claimLimited({
      limitIds,
      ids,
      claimAheadMs: 0,
      owner: owner ?? node,
      most: most ?? ids.length,
      pausedKeys: pausedKeys.map((key) => ({ typeId: type.id, key })),
    });
  }

  /** The ids of what a claim takes that finds no limit taken. */
  async claimed(ids: readonly string[], claim: LimitedClaim): Promise<string[]> {
    return answeredBy(await this.claim(ids, claim)).ids;
  }

  async state(limitId: LimitId): Promise<Omit<LimitState, "id">> {
    const state = (await this.store.readLimits()).find(({ id }) => id === limitId);
    assert.ok(state, "the limit is there");
    return { running: state.running, tokens: state.tokens };
  }

  /** How many of these tasks run. */
  async running(ids: readonly string[]): Promise<number> {
    const states = await Promise.all(ids.map((id) => this.scene.state(id)));
    return states.filter((state) => state === "running").length;
  }

  private async idOf(typeId: TypeId | null): Promise<LimitId> {
    const limit = (await this.setting.limits()).find((row) => row.typeId === typeId);
    assert.ok(limit, "it has a limit");
    return limit.id;
  }
}

/** The limits that a claim has found full, or filled. */
export function fullBy(reply: LimitedClaimReply): readonly LimitId[] {
  assert.equal(reply.outcome, "answered");
  return (reply as Extract<LimitedClaimReply, { outcome: "answered" }>).full;
}

/** What a claim answered that found no limit taken. */
export function answeredBy(reply: LimitedClaimReply): { places: number; fenced: boolean; ids: string[] } {
  assert.equal(reply.outcome, "answered");
  const { places, fenced, tasks } = reply as Extract<LimitedClaimReply, { outcome: "answered" }>;
  return { places, fenced, ids: tasks.map(({ id }) => id) };
}
