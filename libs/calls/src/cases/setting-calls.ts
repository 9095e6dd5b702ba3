import {
  type EpochMs,
  isOwnType,
  MAX_DELAY_MS,
  OWN_TYPE_PREFIX,
  type Pause,
  type PauseSubject,
  type Revision,
  type SettingChange,
  type Settings,
  shownText,
  TickwheelError,
  type TypeId,
} from "@tickwheel/core";
import {
  keyPauseInput,
  namespaceChangesInput,
  pauseInput,
  requireInput,
  taskKeyInput,
  throwFaults,
  typeChangesInput,
} from "@tickwheel/contract";
import { toLimitValues } from "../settings/limit-changes.js";
import {
  type Looks,
  type NamespaceStanding,
  SettingStanding,
  type TypeStanding,
} from "../settings/setting-standing.js";
import { toSettingValues } from "../settings/type-changes.js";
import { type Caller, type CallPorts, requireAdmin, requireOperator } from "./caller.js";

/** What became of a change, which is made in any case. */
export interface SettingOutcome<Standing> {
  /** Labels of the nodes that do not obey it yet; empty: every node does. Null: not known, the store went away. */
  waitingFor: readonly string[] | null;
  /** The revision of the settings that holds it: of several changes the one with the later revision came later. */
  revision: Revision;
  /** How its subject stands now. */
  standing: Standing;
}

export type TypeOutcome = SettingOutcome<TypeStanding>;
export type NamespaceOutcome = SettingOutcome<NamespaceStanding>;
/** `standing` null: the key, or the namespace, is not paused. */
export type PauseOutcome = SettingOutcome<NamedPause | null>;

/** A pause with the name of its type; null: it is the namespace's. */
export type NamedPause = Pause & { type: string | null };

/** A page of pauses. `next`: where the page behind it begins; null: there is none. */
export interface PausesPage {
  pauses: NamedPause[];
  next: number | null;
}

type Ports = Pick<CallPorts, "service" | "settings" | "breakers" | "options">;
type Change = SettingChange extends infer One ? (One extends SettingChange ? Omit<One, "actor"> : never) : never;
type Named = { namespace: string; type: string };

/**
 * What people set at run time, by each kind of caller: pauses of types, keys and the namespace, settings of types, and
 * limits of types and the namespace. `given` is unchecked: its rules stand in `input/setting-input.ts` and
 * `input/limit-input.ts`. A change is a transaction of its own; it is answered when every node obeys it, or after
 * `settingsAnswerMs` with those that do not. Changes that are there already write nothing, and are waited for like any
 * other.
 *
 * Every change throws `FORBIDDEN` to a caller who may not make it, and `STORE_UNAVAILABLE`: asking again is right.
 */
export class SettingCalls {
  constructor(private readonly ports: Ports) {}

  /**
   * Pauses a type: none of its tasks starts, what runs goes on.
   *
   * @throws TickwheelError `TYPE_NOT_FOUND`, `VALIDATION_FAILED` with every fault
   */
  async pauseType(caller: Caller, type: string, given: unknown): Promise<TypeOutcome> {
    requireOperator(caller);
    const values = this.pauseOf(requireInput(pauseInput, given));
    const typeId = await this.typeIdOf(caller, type);
    return this.changeType(
      { ...caller, type, typeId },
      { kind: "pause", subject: subjectOf(caller, typeId), ...values },
    );
  }

  /** Ends the pause of a type. @throws TickwheelError `TYPE_NOT_FOUND`, `VALIDATION_FAILED`: the type is ours */
  async resumeType(caller: Caller, type: string): Promise<TypeOutcome> {
    requireOperator(caller);
    const typeId = await this.typeIdOf(caller, type);
    return this.changeType({ ...caller, type, typeId }, { kind: "resume", subject: subjectOf(caller, typeId) });
  }

  /**
   * Sets what a type may do at run time.
   *
   * @throws TickwheelError `TYPE_NOT_FOUND`; `VALIDATION_FAILED` with every fault: as many types are limited as may be
   */
  async updateType(caller: Caller, type: string, given: unknown): Promise<TypeOutcome> {
    requireOperator(caller);
    const values = toSettingValues(requireInput(typeChangesInput, given), this.ports.options);
    const typeId = await this.typeIdOf(caller, type);
    return this.changeType({ ...caller, type, typeId }, { kind: "type", typeId, values });
  }

  /**
   * Closes the breaker of a type on all nodes; one that is closed stays so. Tasks of it that are claimed from now on
   * are judged anew. No node is waited for: it is closed for all within some seconds.
   *
   * @throws TickwheelError `TYPE_NOT_FOUND`
   */
  async closeBreaker(caller: Caller, type: string): Promise<TypeStanding> {
    requireOperator(caller);
    const { namespace, actor } = caller;
    const id = await this.existing({ namespace, type });
    await this.ports.breakers.close({ namespace, type, actor });
    return this.standing().ofType({ id, namespace, type });
  }

  /**
   * Pauses a key of a type, also for tasks that get it later.
   *
   * @throws TickwheelError `TYPE_NOT_FOUND`; `VALIDATION_FAILED` with every fault: as many keys are paused as may be
   */
  async pauseKey(caller: Caller, given: unknown): Promise<PauseOutcome> {
    requireOperator(caller);
    const { type, key, ...pause } = requireInput(keyPauseInput, given);
    const values = this.pauseOf(pause);
    const subject = subjectOf(caller, await this.typeIdOf(caller, type), key);
    const outcome = await this.changePause(caller, { kind: "pause", subject, ...values });
    await this.pauseHolder(caller, { type, key });
    return outcome;
  }

  /** Ends the pause of a key. @throws TickwheelError `TYPE_NOT_FOUND`, `VALIDATION_FAILED` with every fault */
  async resumeKey(caller: Caller, given: unknown): Promise<PauseOutcome> {
    requireOperator(caller);
    const { type, key } = requireInput(taskKeyInput, given);
    const subject = subjectOf(caller, await this.typeIdOf(caller, type), key);
    return this.changePause(caller, { kind: "resume", subject });
  }

  /** Pauses all types of the namespace. @throws TickwheelError `VALIDATION_FAILED` with every fault */
  async pauseNamespace(caller: Caller, given: unknown): Promise<PauseOutcome> {
    requireAdmin(caller);
    const values = this.pauseOf(requireInput(pauseInput, given));
    return this.changePause(caller, { kind: "pause", subject: subjectOf(caller, null), ...values });
  }

  /** Ends the pause of the namespace; types and keys that are paused by themselves stay so. */
  async resumeNamespace(caller: Caller): Promise<PauseOutcome> {
    requireAdmin(caller);
    return this.changePause(caller, { kind: "resume", subject: subjectOf(caller, null) });
  }

  /**
   * Limits what runs of the namespace in the whole cluster.
   *
   * @throws TickwheelError `VALIDATION_FAILED` with every fault
   */
  async updateNamespace(caller: Caller, given: unknown): Promise<NamespaceOutcome> {
    requireAdmin(caller);
    const { namespace, actor } = caller;
    const values = toLimitValues(requireInput(namespaceChangesInput, given));
    const { settings, ...made } = await this.change({ kind: "namespace", namespace, values, actor });
    return { ...made, standing: this.standing(settings).ofNamespace(namespace) };
  }

  /** How the namespace stands, as this node has read it last. */
  namespaceStanding({ namespace }: Pick<Caller, "namespace">): NamespaceStanding {
    return this.standing().ofNamespace(namespace);
  }

  /** A page of what is paused in the namespace, as this node has read it last; the newest first. */
  async pauses(
    { namespace }: Caller,
    { limit, after = 0 }: { limit: number; after?: number | undefined },
  ): Promise<PausesPage> {
    const all = this.standing(this.ports.settings.current).pausesOf(namespace);
    const end = after + limit;
    const named = await Promise.all(all.slice(after, end).map((pause) => this.named(pause)));
    // A type that was dropped has taken its pauses with it.
    return { pauses: named.filter((pause) => pause !== null), next: end < all.length ? end : null };
  }

  /** How a type stands, as this node has read it last. @throws TickwheelError `TYPE_NOT_FOUND` */
  async typeStanding({ namespace }: Pick<Caller, "namespace">, type: string): Promise<TypeStanding> {
    const id = await this.existing({ namespace, type });
    return this.standing(this.ports.settings.current).ofType({ id, namespace, type });
  }

  /** The same of many types at once. */
  standing(settings: Settings = this.ports.settings.current): SettingStanding {
    const { service, settings: known, breakers } = this.ports;
    const looks: Looks = {
      levelOf: (limitId) => known.levelOf(limitId),
      isLimitFull: (typeId) => known.isLimitFull(typeId),
      breakerOf: (typeId) => breakers.standingOf(typeId),
    };
    return new SettingStanding({ settings, now: service.nowMs(), looks });
  }

  private async changeType(
    { namespace, type, typeId, actor }: Named & { typeId: TypeId; actor: string },
    change: Change,
  ): Promise<TypeOutcome> {
    const { settings, ...made } = await this.change({ ...change, actor });
    return { ...made, standing: this.standing(settings).ofType({ id: typeId, namespace, type }) };
  }

  private async changePause(
    { actor }: Caller,
    change: Extract<Change, { subject: PauseSubject }>,
  ): Promise<PauseOutcome> {
    const { settings, ...made } = await this.change({ ...change, actor });
    const pause = this.standing(settings).pauseOf(change.subject);
    return { ...made, standing: pause && (await this.named(pause)) };
  }

  /** The countdown of the key's task stands still at once. That it does not start is the claim's doing, in any case. */
  private async pauseHolder({ namespace, actor }: Caller, named: { type: string; key: string }): Promise<void> {
    await this.ports.service.pause({ target: { namespace, ...named }, actor }).catch(() => undefined);
  }

  /** What was changed is read again: this node may be the one that does not obey it yet. */
  private async change(change: SettingChange): Promise<Omit<TypeOutcome, "standing"> & { settings: Settings }> {
    const made = await this.ports.settings.change(change);
    const settings = await this.ports.settings.read().catch(() => this.ports.settings.current);
    return { ...made, settings };
  }

  private async named(pause: Pause): Promise<NamedPause | null> {
    if (pause.typeId === null) return { ...pause, type: null };
    const type = await this.ports.service.typeNameOf(pause.typeId);
    return type === null ? null : { ...pause, type };
  }

  private async typeIdOf({ namespace }: Caller, type: string): Promise<TypeId> {
    if (isOwnType(type))
      throwFaults([
        { path: "type", message: `must not begin with ${OWN_TYPE_PREFIX}: the scheduler's own work goes on` },
      ]);
    return this.existing({ namespace, type });
  }

  private async existing(named: Named): Promise<TypeId> {
    const id = await this.ports.service.typeIdOf(named);
    if (id === null) throw new TickwheelError("TYPE_NOT_FOUND", `There is no type ${shownText(named.type)}.`);
    return id;
  }

  /** @throws TickwheelError `VALIDATION_FAILED`: `until` has passed, or is too far ahead */
  private pauseOf({ until = null, reason = null }: PauseValues): { until: EpochMs | null; reason: string | null } {
    if (until === null) return { until, reason };
    const aheadMs = until - this.ports.service.nowMs();
    if (aheadMs <= 0) throwFaults([{ path: "until", message: "must be in the future" }]);
    if (aheadMs > MAX_DELAY_MS) throwFaults([{ path: "until", message: "must be at most 100 years in the future" }]);
    return { until, reason };
  }
}

interface PauseValues {
  until?: EpochMs | null | undefined;
  reason?: string | null | undefined;
}

function subjectOf({ namespace }: Caller, typeId: TypeId | null, key: string | null = null): PauseSubject {
  return { namespace, typeId, key };
}
