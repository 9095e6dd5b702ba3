import type { AnnouncedPolicy, BootId, Leadership, PolicyStore, TypePolicy } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { PeriodicService } from "../runtime/periodic-service.js";
import type { TypeDirectory } from "../types/type-directory.js";

const INTERVAL_MS = 5_000;
/** A node's policies count when it has been live for so long: one that dies again and again changes nothing. */
const SETTLED_MS = 30_000;

export interface PolicySources {
  store: PolicyStore;
  /** This node in the cluster. `bootId` null: it is no member just now. */
  member: { readonly bootId: BootId | null; leadership(): Leadership | null };
  /** What this node's handlers want. */
  policies(): AnnouncedPolicy[];
}

/**
 * Announces what this node's handlers want for their types, under each boot id once; and, as the leader, puts in force
 * what the newest settled node announces. Nothing depends on when: a node that creates a task takes what is in force as
 * far as it has read it.
 */
export class PolicyKeeper extends PeriodicService {
  private announcedFor: BootId | null = null;

  constructor(
    context: Pick<EngineContext, "clock" | "health">,
    private readonly sources: PolicySources,
  ) {
    super("policies", context);
  }

  async runOnce(): Promise<void> {
    const { store, member } = this.sources;
    const { bootId } = member;
    if (bootId !== null && bootId !== this.announcedFor) {
      await store.announce(bootId, this.sources.policies());
      this.announcedFor = bootId;
    }
    if (member.leadership() !== null) await store.settle(SETTLED_MS);
  }

  protected intervalMs(): number {
    return INTERVAL_MS;
  }
}

/** What the handlers of these types want, each field in one order: policies are compared as texts. */
export function policiesOf(
  types: readonly (TypePolicy & { namespace: string; type: string })[],
  known: Pick<TypeDirectory, "find">,
): AnnouncedPolicy[] {
  return types.flatMap(({ namespace, type, ...wanted }) => {
    const typeId = known.find({ namespace, type })?.id;
    const { maxAttempts, backoff, timeoutMs, startDeadlineMs, priority, payloadSchema, payloadVersion } = wanted;
    const policy = { maxAttempts, backoff, timeoutMs, startDeadlineMs, priority, payloadSchema, payloadVersion };
    return typeId === undefined ? [] : [{ typeId, policy }];
  });
}
