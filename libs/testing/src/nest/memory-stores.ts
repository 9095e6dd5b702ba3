import { type ApiKeyStore, type SessionStore, TickwheelError } from "@tickwheel/core";
import type { NodeStores } from "@tickwheel/nestjs/internals";
import type { MemoryConnection } from "../database/memory-connection.js";
import { MemoryBatchStore } from "../stores/memory-batch-store.js";
import { MemoryOperationStore } from "../stores/memory-operation-store.js";
import { MemoryDeadLetterStore } from "../stores/memory-dead-letter-store.js";
import { MemoryClusterEventStore } from "../stores/memory-cluster-event-store.js";
import { MemoryClusterStore } from "../stores/memory-cluster-store.js";
import { MemoryEffectStore } from "../stores/memory-effect-store.js";
import { MemoryBreakerStore } from "../stores/memory-breaker-store.js";
import { MemoryLimitStore } from "../stores/memory-limit-store.js";
import { MemoryScheduleStore } from "../stores/memory-schedule-store.js";
import { MemorySettingStore } from "../stores/memory-setting-store.js";
import { MemoryTaskStore } from "../stores/memory-task-store.js";

/**
 * All stores of a Nest application's node, in memory.
 *
 * @param cure what errors about what is not there in memory (batches, API keys, sessions) say: what to do instead, as a
 *   sentence's second half
 */
export function memoryStores(connection: MemoryConnection, cure: string): NodeStores {
  return {
    tasks: new MemoryTaskStore(connection),
    cluster: new MemoryClusterStore(connection),
    effects: new MemoryEffectStore(connection),
    schedules: new MemoryScheduleStore(connection),
    events: new MemoryClusterEventStore(connection),
    batches: new MemoryBatchStore(cure),
    operations: new MemoryOperationStore(cure),
    deadLetters: new MemoryDeadLetterStore(cure),
    settings: new MemorySettingStore(connection),
    limits: new MemoryLimitStore(connection),
    breakers: new MemoryBreakerStore(connection),
    ...{ figures: null, findings: null, policies: null, connectionCount: 0 },
    apiKeys: notInMemory<ApiKeyStore>({ what: "API keys", cure }, { hasAny: () => Promise.resolve(true) }),
    sessions: notInMemory<SessionStore>({ what: "Sessions of the page", cure }, {}),
    close: () => Promise.resolve(),
  };
}

function notInMemory<Store extends object>(
  { what, cure }: { what: string; cure: string },
  known: Partial<Store>,
): Store {
  const refuse = (): Promise<never> =>
    Promise.reject(new TickwheelError("UNSUPPORTED", `${what} need Postgres, and this test is in memory: ${cure}`));
  return new Proxy(known as Store, { get: (target, name) => Reflect.get(target, name) ?? refuse });
}
