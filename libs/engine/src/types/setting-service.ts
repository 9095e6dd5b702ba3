import {
  type Clock,
  type Coordination,
  type FlowLimit,
  type LimitStore,
  MAX_LIMITS_OF_NAMESPACE,
  MAX_PAUSED_KEYS,
  type Revision,
  revisionText,
  type SettingChange,
  type SettingStore,
  type Telemetry,
  TickwheelError,
  wait,
} from "@tickwheel/core";
import { Distribution } from "../counting/distribution.js";

/** How often it is asked whether all nodes obey: first often, since most do at once. */
const ASK_SOON_MS = 50;
const ASK_LATER_MS = 250;
const SOON_MS = 1_000;

/** What became of a change that is written. */
export interface SettingAnswer {
  revision: Revision;
  /**
   * Labels of the live and draining nodes that do not obey it yet; empty: all obey. Null: that is not known, since the
   * store went away behind the commit.
   */
  waitingFor: readonly string[] | null;
}

interface SettingServiceParts {
  clock: Clock;
  store: SettingStore;
  /** Absent: nothing can be limited in the whole cluster. */
  limits: Pick<LimitStore, "adoptRunning"> | undefined;
  coordination: Pick<Coordination, "send">;
  /** This node's own reader of the settings. */
  reader: { hinted(): void };
  telemetry: Telemetry;
  /** How long a change waits for nodes that do not obey yet. */
  answerMs: number;
  /** For a node that no time passes for, and that is the only one: reads the settings now. Null: it is another. */
  readNow: (() => Promise<void>) | null;
}

/** [settings-obeyed]: changes the settings, and waits until every node obeys. */
export class SettingService {
  /** How long changes took to be answered. */
  readonly answers = new Distribution();

  constructor(private readonly parts: SettingServiceParts) {}

  /**
   * Makes a change and waits until all live and draining nodes obey it, for `settingsAnswerMs` at most. A change that
   * is there already is only waited for: a call that some nodes did not obey in time is repeated to wait on.
   *
   * @throws TickwheelError `TYPE_NOT_FOUND`; `VALIDATION_FAILED`: as many keys are paused, or types limited, as may be;
   *   `STORE_UNAVAILABLE`: nothing is changed, or a fail-over has lost it
   */
  async change(change: SettingChange): Promise<SettingAnswer> {
    const startMonoMs = this.parts.clock.monotonicMs();
    const revision = await this.begin(change);
    const waitingFor = await this.inForce(change, revision);
    this.answers.record(this.parts.clock.monotonicMs() - startMonoMs);
    if (waitingFor !== null && waitingFor.length > 0) this.tellWait(waitingFor, revision);
    return { revision, waitingFor };
  }

  /**
   * Makes a change and waits for nobody; every node obeys it within some seconds.
   *
   * @throws TickwheelError as {@link change}
   */
  async begin(change: SettingChange): Promise<Revision> {
    const reply = await this.parts.store.changeSettings(change);
    if (reply.outcome === "no_type") throw new TickwheelError("TYPE_NOT_FOUND", "There is no such type.");
    if (reply.outcome === "too_many_keys") throw tooManyKeys();
    if (reply.outcome === "too_many_limits") throw tooManyLimits(change);
    if (reply.outcome === "changed") this.tellChange(change, reply.revision);
    this.parts.reader.hinted();
    return reply.revision;
  }

  private tellChange({ kind, actor }: SettingChange, revision: Revision): void {
    void this.parts.coordination.send("all", { kind: "settings" });
    const facts = { kind, actor, revision: revisionText(revision) };
    const message = `${actor} has changed the settings (${kind})`;
    this.parts.telemetry.emit({ name: "settings.changed", level: "info", message, facts });
  }

  private tellWait(nodes: readonly string[], revision: Revision): void {
    const message = `A change of the settings is not obeyed yet by ${nodes.join(", ")}`;
    const facts = { nodes, revision: revisionText(revision) };
    this.parts.telemetry.emit({ name: "settings.not_obeyed", level: "warn", message, facts });
  }

  /** The nodes that do not obey a change yet; null: that is not known. */
  private async inForce(change: SettingChange, revision: Revision): Promise<readonly string[] | null> {
    const waitingFor = await this.nodesBehind(revision);
    const isAdopted = await this.adoptRunning(change).catch(() => "unknown" as const);
    return isAdopted === "unknown" ? null : waitingFor;
  }

  /**
   * A limit counts what runs. Nodes that obey it have told their own; what is left are tasks of dead nodes, which run
   * by their rows until they are reaped.
   */
  private async adoptRunning(change: SettingChange): Promise<void> {
    const { limits, store } = this.parts;
    if (limits === undefined || !("values" in change) || (change.values.maxRunning ?? null) === null) return;
    const isMeant = ({ namespace, typeId }: FlowLimit): boolean =>
      change.kind === "type" ? typeId === change.typeId : typeId === null && namespace === change.namespace;
    const all = (await store.readSettings()).limits;
    await limits.adoptRunning(all.filter(isMeant).map(({ id }) => id));
  }

  private async nodesBehind(revision: Revision): Promise<readonly string[] | null> {
    const { clock, store, answerMs, readNow } = this.parts;
    if (readNow) return readNow().then(() => []);
    const startMonoMs = clock.monotonicMs();
    for (;;) {
      const behind = await store.nodesBehind(revision).catch(() => "unknown" as const);
      if (behind === "unknown") return null;
      if (behind === null)
        throw new TickwheelError("STORE_UNAVAILABLE", "A fail-over of the database has lost this change.");
      const passedMs = clock.monotonicMs() - startMonoMs;
      if (behind.length === 0 || passedMs >= answerMs) return behind;
      await wait(clock, passedMs < SOON_MS ? ASK_SOON_MS : ASK_LATER_MS);
    }
  }
}

function tooManyLimits(change: SettingChange): TickwheelError {
  const most = MAX_LIMITS_OF_NAMESPACE.toLocaleString("en-US");
  const message = `${most} types of the namespace have limits, which is the most; take some away first`;
  const path = "values" in change && (change.values.maxRunning ?? null) === null ? "rate" : "maxRunning";
  return new TickwheelError("VALIDATION_FAILED", `${path}: ${message}`, { faults: [{ path, message }] });
}

function tooManyKeys(): TickwheelError {
  const message = `${MAX_PAUSED_KEYS.toLocaleString("en-US")} keys are paused, which is the most; resume some first`;
  return new TickwheelError("VALIDATION_FAILED", `key: ${message}`, { faults: [{ path: "key", message }] });
}
