import {
  type Cause,
  type Coordination,
  type FigureStore,
  sentencesOf,
  serverCauses,
  type UnsafeSetting,
  unsafeStoreSettings,
} from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { PeriodicService } from "../runtime/periodic-service.js";

/** Settings of servers change seldom. */
const LOOK_INTERVAL_MS = 60_000;

interface Sources {
  /** Null: there is no store whose settings could be read. */
  figures: Pick<FigureStore, "storeSettings"> | null;
  coordination: Pick<Coordination, "unsafeSetting">;
}

/**
 * Looks at its start, and once a minute, whether Postgres and Redis are set so that promises hold. A setting that
 * breaks a promise is told in the log when it is first seen, and as a finding while it lasts.
 *
 * Cost: a small statement and a command of Redis a minute. On failure: what was known stays known.
 */
export class UnsafeSettings extends PeriodicService {
  private ofStore: readonly UnsafeSetting[] = [];
  private ofRedis: UnsafeSetting | null = null;
  private told: ReadonlySet<string> = new Set();

  constructor(
    private readonly context: Pick<EngineContext, "clock" | "health" | "telemetry">,
    private readonly sources: Sources,
  ) {
    super("settings_look", context);
  }

  /** What the last look has seen. */
  get known(): readonly UnsafeSetting[] {
    return this.ofRedis === null ? this.ofStore : [...this.ofStore, this.ofRedis];
  }

  async runOnce(): Promise<void> {
    const { figures, coordination } = this.sources;
    const [settings, redis] = await Promise.all([
      figures?.storeSettings().catch(() => null),
      coordination.unsafeSetting?.(),
    ]);
    if (settings) this.ofStore = unsafeStoreSettings(settings);
    if (redis !== undefined) this.ofRedis = redis;
    this.tell();
  }

  protected intervalMs(): number {
    return LOOK_INTERVAL_MS;
  }

  private tell(): void {
    const causes = serverCauses({ unsafeSettings: this.known });
    for (const cause of causes) if (!this.told.has(nameOf(cause))) this.tellOne(cause);
    this.told = new Set(causes.map(nameOf));
  }

  private tellOne(cause: Cause): void {
    const { title, consequence, cure } = sentencesOf(cause);
    this.context.telemetry.emit({
      name: "store.setting.unsafe",
      level: "warn",
      message: `${title}: ${consequence} ${cure}`,
      facts: { code: cause.code, setting: cause.subject, value: cause.facts.value as string },
    });
  }
}

function nameOf({ code, subject, facts }: Cause): string {
  return `${code} ${subject} ${String(facts.value)}`;
}
