import type { BootId, Leadership } from "@tickwheel/core";
import type { AnnouncedSchedule, ScheduleStore, StoredSchedule } from "@tickwheel/schedules";
import type { EngineContext } from "../runtime/engine-context.js";
import { PeriodicService } from "../runtime/periodic-service.js";
import { nameOf, schedulesInForce } from "./code-schedules.js";
import type { ScheduleService } from "./schedule-service.js";

const INTERVAL_MS = 5_000;
/** A schedule that no node has announced for so long is taken back. */
const FORGET_AFTER_MS = 60_000;
const PAGE = 200;

interface KeeperSources {
  store: ScheduleStore;
  service: ScheduleService;
  /** This node in the cluster. `bootId` null: it is no member just now. */
  member: { readonly bootId: BootId | null; leadership(): Leadership | null };
  /** What this node's code defines. */
  schedules(): readonly AnnouncedSchedule[];
}

/**
 * Announces the schedules of this node's code, under each boot id once; and, as the leader, puts in force what the
 * settled nodes announce, and takes back what none does any more: its unstarted occurrence is cancelled, and it goes on
 * when it is announced again. An equal definition changes nothing. Nothing depends on when.
 */
export class CodeScheduleKeeper extends PeriodicService {
  private announcedFor: BootId | null = null;

  constructor(
    context: Pick<EngineContext, "clock" | "health">,
    private readonly sources: KeeperSources,
  ) {
    super("code_schedules", context);
  }

  async runOnce(): Promise<void> {
    const { store, member } = this.sources;
    const { bootId } = member;
    if (bootId !== null && bootId !== this.announcedFor) {
      await store.announce(bootId, this.sources.schedules());
      this.announcedFor = bootId;
    }
    if (member.leadership() !== null) await this.settle();
  }

  protected intervalMs(): number {
    return INTERVAL_MS;
  }

  private async settle(): Promise<void> {
    const announced = await this.sources.store.announced(FORGET_AFTER_MS);
    const stored = new Map((await this.inCode()).map((schedule) => [nameOf(schedule), schedule]));
    for (const wanted of schedulesInForce(announced, (named) => stored.has(nameOf(named)))) {
      if (this.shouldEnd) return;
      await this.putInForce(wanted, stored.get(nameOf(wanted)));
    }
    const known = new Set(announced.map((one) => nameOf(one)));
    for (const schedule of stored.values()) if (!known.has(nameOf(schedule))) await this.takeBack(schedule);
  }

  private async putInForce(wanted: AnnouncedSchedule, stored: StoredSchedule | undefined): Promise<void> {
    const { namespace, name, application, hash, content } = wanted;
    const { service } = this.sources;
    if (stored?.source?.hash !== hash) {
      const source = { application, hash };
      await service.put({ namespace, name, ...content, source, actor: `code:${application}` });
    }
    if (stored?.planning.pause?.reason === "UNANNOUNCED") await service.resume({ namespace, id: stored.id });
  }

  private async takeBack({ namespace, id, planning }: StoredSchedule): Promise<void> {
    if (planning.pause !== null) return;
    await this.sources.service.suspend({ namespace, id });
  }

  /** In all namespaces: of one in which nothing is announced any more too. */
  private async inCode(): Promise<StoredSchedule[]> {
    const found: StoredSchedule[] = [];
    for (let after: StoredSchedule | null = null; ; after = found.at(-1)!) {
      const page = await this.sources.store.listInCode({ limit: PAGE, after });
      found.push(...page);
      if (page.length < PAGE) return found;
    }
  }
}
