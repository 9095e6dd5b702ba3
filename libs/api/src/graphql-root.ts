import { type ApiKey, TickwheelError } from "@tickwheel/core";
import type { CancelledTask, ScheduledTask } from "@tickwheel/nestjs";
import { hasRole } from "./api-key.js";
import type { BulkItem, ClusterView, StatsView, TaskApiService } from "./task-api.service.js";
import type { ShownTask } from "./task-json.js";
import { toTaskFilter } from "./task-query.js";

/** A page in the form that GraphQL clients know. */
export interface TaskConnection {
  edges: { cursor: string; node: ShownTask }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
  /** The look ended before the page was full: go on after `endCursor`. */
  incomplete: boolean;
}

/** The arguments of `tasks`. Null is as absent. */
export interface TasksArguments {
  filter?: Record<string, unknown> | null;
  first?: number | null;
  after?: string | null;
}

/**
 * The root of every query and mutation: each method resolves the field of its name for the key of the request. It does what REST does,
 * by the same service; inputs come here unchecked but for their GraphQL types.
 */
export class GraphqlRoot {
  constructor(private readonly api: TaskApiService) {}

  async task({ id }: { id: string }, key: ApiKey): Promise<ShownTask | null> {
    return this.api.get(key, id);
  }

  async tasks({ filter, first, after }: TasksArguments, key: ApiKey): Promise<TaskConnection> {
    const query = toTaskFilter(queryOf({ ...filter, first, after }), key.namespace, {
      limit: "first",
      cursor: "after",
    });
    const { items, nextCursor, incomplete = false } = await this.api.find(key, query);
    const edges = items.map((node) => ({ cursor: node.id, node }));
    const endCursor = nextCursor ?? edges.at(-1)?.cursor ?? null;
    return { edges, pageInfo: { hasNextPage: nextCursor !== null, endCursor }, incomplete };
  }

  async cluster(_args: unknown, key: ApiKey): Promise<ClusterView> {
    if (!key.cluster) throw new TickwheelError("FORBIDDEN", "cluster needs a key with the right cluster.");
    return this.api.cluster();
  }

  async stats(_args: unknown, key: ApiKey): Promise<StatsView> {
    return this.api.stats(key);
  }

  async scheduleTask({ input }: { input: unknown }, key: ApiKey): Promise<ScheduledTask<ShownTask>> {
    requireOperator(key);
    return this.api.schedule(key, input);
  }

  async scheduleTasks(
    { inputs, idempotencyKey }: { inputs: unknown[]; idempotencyKey?: string | null },
    key: ApiKey,
  ): Promise<BulkItem[]> {
    requireOperator(key);
    return this.api.scheduleMany(key, { tasks: inputs }, idempotencyKey ?? undefined);
  }

  async cancelTask({ id }: { id: string }, key: ApiKey): Promise<CancelledTask<ShownTask>> {
    requireOperator(key);
    return this.api.cancel(key, id);
  }

  async rescheduleTask(
    { id, input, expectedVersion }: { id: string; input: unknown; expectedVersion?: number | null },
    key: ApiKey,
  ): Promise<ShownTask> {
    requireOperator(key);
    return this.api.edit(key, id, { body: input, expectedVersion: expectedVersion ?? null });
  }

  async retryTask({ id }: { id: string }, key: ApiKey): Promise<ShownTask> {
    requireOperator(key);
    return this.api.retry(key, id);
  }

  async runTaskNow({ id }: { id: string }, key: ApiKey): Promise<ShownTask> {
    requireOperator(key);
    return this.api.runNow(key, id);
  }
}

function requireOperator(key: ApiKey): void {
  if (!hasRole(key, "operator")) throw new TickwheelError("FORBIDDEN", "A mutation needs the role operator.");
}

/** What no query parameter is: the rules refuse it. Text of it would throw, or be taken for something else. */
function isContainer(value: unknown): boolean {
  return typeof value === "object";
}

/** Arguments as the query parameters that REST has for them, so that both are read by the same rules. */
function queryOf(given: Record<string, unknown>): Record<string, unknown> {
  const present = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present.map(([name, value]) => [name, isContainer(value) ? value : String(value)]));
}
