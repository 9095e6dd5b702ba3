import {
  asDate,
  type Caller,
  type NamespaceChangesInput,
  type NamespaceStandingView,
  type PauseInput,
  readCall,
  SettingCalls,
  type SettingOutcome,
  type TaskDefinition,
  toNamespaceView,
  toStandingView,
  type TypeChangesInput,
  typeOf,
  type TypeStandingView,
} from "@tickwheel/calls";
import type { DelayTaskNode } from "../node/delay-task.node.js";
import { applicationOf } from "./code-face.js";

/**
 * What became of a change of settings, which is made in any case. `obeyed`: every node obeys it. Else `waitingFor` has
 * the labels (`ip:pid`) of the nodes that do not yet, after `settingsAnswerMs` (default 10 s); null: that is not known,
 * since Postgres went away behind the commit. The same call again waits on.
 */
export type SettingResult = { obeyed: true } | { obeyed: false; waitingFor: readonly string[] | null };

/** A task's type, or its definition. */
type AnyTask = string | TaskDefinition<unknown>;

/** What stands behind each of them. */
class DelaySettings {
  protected readonly calls: SettingCalls;
  protected readonly caller: Caller;

  constructor(node: DelayTaskNode) {
    this.calls = new SettingCalls(node);
    this.caller = applicationOf(node);
  }
}

/**
 * Pauses types, and sets how many of their tasks run and how often they start, in the whole cluster and at once. No
 * call joins a transaction: what it changes holds for everybody when it is answered.
 *
 * @example await delayTasks.types.pause(SendMail, { until: "2026-12-01T08:00:00Z", reason: "the provider is down" });
 */
export class DelayTypes extends DelaySettings {
  /**
   * Pauses a type: none of its tasks starts until the pause ends; what runs goes on, countdowns and start deadlines
   * too. A pause that is there already gets this end and this reason.
   *
   * @param pause `until`: when it ends by itself, in the future and within 100 years; default: by `resume` alone.
   *   `reason`: what people are told, 1 to 1,000 characters; default: nothing
   * @throws TickwheelError `TYPE_NOT_FOUND` (no node has run it yet), `VALIDATION_FAILED`, `STORE_UNAVAILABLE`
   */
  async pause(task: AnyTask, pause: PauseInput = {}): Promise<SettingResult> {
    return resultOf(
      await this.calls.pauseType(
        this.caller,
        typeOf(task),
        readCall(() => ({ ...pause })),
      ),
    );
  }

  /**
   * Ends the pause of a type; what became due meanwhile starts, the oldest first. One that is not paused stays so.
   *
   * @throws TickwheelError `TYPE_NOT_FOUND`, `STORE_UNAVAILABLE`
   */
  async resume(task: AnyTask): Promise<SettingResult> {
    return resultOf(await this.calls.resumeType(this.caller, typeOf(task)));
  }

  /**
   * Sets what a type may do at run time; what is absent stays as it is.
   *
   * @example await delayTasks.types.update(SendMail, { maxRunning: 5, rate: { count: 100, per: "1s" } });
   * @param changes `concurrency`: how many of its tasks each node runs at once, 1 to 10,000, in place of what its
   *   handler says; null: as the handler says. `maxRunning`: how many run at once in the whole cluster, 1 to 1,000,
   *   never more; null: as many as there is room for. `rate`: at most `count` (1 to 1,000,000) start in `per` (up to a
   *   day), together 0.001 to 100,000 a second, and `burst` at once after a rest (default: a second's starts, at least
   *   1); null: as often as they are due. `keepSucceeded`: how long its succeeded tasks are kept, 0 or from 1 h to
   *   `historyRetentionDays`; with 0 a task is gone at its end: it is not found by id or key, a replay of its
   *   idempotency key is `TASK_NOT_FOUND`, and runs of schedules do not tell how they ended. `keepCancelled`: how long
   *   its cancelled tasks are kept, in the same bounds; with 0 a cancel by id of a waiting task deletes it. `keepDead`:
   *   the same of its dead tasks, from 1 h to `deadRetentionDays`. Null: as long as all others
   * @throws TickwheelError `TYPE_NOT_FOUND`, `VALIDATION_FAILED` (also for the 1,001st limit of the namespace),
   *   `STORE_UNAVAILABLE`
   */
  async update(task: AnyTask, changes: TypeChangesInput): Promise<SettingResult> {
    return resultOf(
      await this.calls.updateType(
        this.caller,
        typeOf(task),
        readCall(() => ({ ...changes })),
      ),
    );
  }

  /**
   * Closes the breaker of a type (`breaker` of its handler) on all nodes, within some seconds: for when it is known
   * that its tasks would succeed again, and the next trial is far ahead. One that is closed stays so.
   *
   * @example await delayTasks.types.closeBreaker(SendMail);
   * @throws TickwheelError `TYPE_NOT_FOUND`, `STORE_UNAVAILABLE`
   */
  async closeBreaker(task: AnyTask): Promise<void> {
    await this.calls.closeBreaker(this.caller, typeOf(task));
  }

  /**
   * What is set of a type, its limits and how full they were within the last two seconds, its breaker, and its pause:
   * as this node has read it last, so at most some seconds ago.
   *
   * @example const { limits } = await delayTasks.types.standing(SendMail); // { maxRunning: 5, running: 3, … }
   * @throws TickwheelError `TYPE_NOT_FOUND`, `STORE_UNAVAILABLE`
   */
  async standing(task: AnyTask): Promise<TypeStandingView> {
    const type = typeOf(task);
    return toStandingView(type, await this.calls.typeStanding(this.caller, type), asDate);
  }
}

/** Pauses keys: whatever tasks have them, now or later. At most 1,000 keys are paused at once in the cluster. */
export class DelayKeys extends DelaySettings {
  /**
   * Pauses a key of a type: its task does not start, and is paused when its turn comes; tasks that get the key later
   * too.
   *
   * @example await delayTasks.keys.pause(CancelOrder, order.id, { reason: "the customer was called" });
   * @param pause as of {@link DelayTypes.pause}
   * @throws TickwheelError `TYPE_NOT_FOUND`, `VALIDATION_FAILED` (also for the 1,001st key), `STORE_UNAVAILABLE`
   */
  async pause(task: AnyTask, key: string, pause: PauseInput = {}): Promise<SettingResult> {
    const given = readCall(() => ({ ...pause, type: typeOf(task), key }));
    return resultOf(await this.calls.pauseKey(this.caller, given));
  }

  /** Ends the pause of a key. @throws TickwheelError `TYPE_NOT_FOUND`, `VALIDATION_FAILED`, `STORE_UNAVAILABLE` */
  async resume(task: AnyTask, key: string): Promise<SettingResult> {
    return resultOf(await this.calls.resumeKey(this.caller, { type: typeOf(task), key }));
  }
}

/** Pauses the application's namespace, and limits what runs of it. */
export class DelayNamespace extends DelaySettings {
  /**
   * Pauses all types of the namespace, those too that are made later.
   *
   * @example await delayTasks.namespace.pause({ reason: "the database of the shop moves" });
   * @param pause as of {@link DelayTypes.pause}
   * @throws TickwheelError `VALIDATION_FAILED`, `STORE_UNAVAILABLE`
   */
  async pause(pause: PauseInput = {}): Promise<SettingResult> {
    return resultOf(
      await this.calls.pauseNamespace(
        this.caller,
        readCall(() => ({ ...pause })),
      ),
    );
  }

  /**
   * Ends the pause of the namespace; types and keys that are paused by themselves stay so.
   *
   * @throws TickwheelError `STORE_UNAVAILABLE`
   */
  async resume(): Promise<SettingResult> {
    return resultOf(await this.calls.resumeNamespace(this.caller));
  }

  /**
   * Limits what runs of all types of the namespace together in the whole cluster; what is absent stays as it is.
   *
   * @example await delayTasks.namespace.update({ maxRunning: 200, rate: { count: 500, per: "1s" } });
   * @param changes `maxRunning` and `rate` as of {@link DelayTypes.update}; null takes a limit away
   * @throws TickwheelError `VALIDATION_FAILED`, `STORE_UNAVAILABLE`
   */
  async update(changes: NamespaceChangesInput): Promise<SettingResult> {
    return resultOf(
      await this.calls.updateNamespace(
        this.caller,
        readCall(() => ({ ...changes })),
      ),
    );
  }

  /**
   * The namespace's limits, how full they were within the last two seconds, and its pause: as this node has read it
   * last.
   *
   * @example const { limits, pause } = await delayTasks.namespace.standing();
   */
  standing(): Promise<NamespaceStandingView> {
    return Promise.resolve(toNamespaceView(this.calls.namespaceStanding(this.caller), asDate));
  }
}

function resultOf({ waitingFor }: SettingOutcome<unknown>): SettingResult {
  return waitingFor?.length === 0 ? { obeyed: true } : { obeyed: false, waitingFor };
}
