import { type SessionStore, TickwheelError } from "@tickwheel/core";
import type { NodeStores } from "@tickwheel/nestjs/internals";
import type { MemoryConnection } from "../database/memory-connection.js";
import { MemoryApiKeyStore } from "../stores/memory-api-key-store.js";
import { MemoryBatchStore } from "../stores/memory-batch-store.js";
import { MemoryOperationStore } from "../stores/memory-operation-store.js";
import { MemoryDeadLetterStore } from "../stores/memory-dead-letter-store.js";
import { MemoryClusterEventStore } from "../stores/memory-cluster-event-store.js";
import { MemoryClusterStore } from "../stores/memory-cluster-store.js";
import { MemoryEffectStore } from "../stores/memory-effect-store.js";
import { MemoryBreakerStore } from "../stores/memory-breaker-store.js";
import { MemoryClaimSecretStore } from "../stores/memory-claim-secret-store.js";
import { MemoryLeaseStore } from "../stores/memory-lease-store.js";
import { MemoryLimitStore } from "../stores/memory-limit-store.js";
import { MemoryPulseStore } from "../stores/memory-pulse-store.js";
import { MemoryScheduleStore } from "../stores/memory-schedule-store.js";
import { MemorySettingStore } from "../stores/memory-setting-store.js";
import { MemoryTaskStore } from "../stores/memory-task-store.js";

/**
 * All stores of a Nest application's node, in memory.
 *
 * @param cure what errors about what is not there in memory (batches, sessions) say: what to do instead, as a
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
    leases: new MemoryLeaseStore(connection),
    claimSecrets: new MemoryClaimSecretStore(),
    pulse: new MemoryPulseStore(connection),
    breakers: new MemoryBreakerStore(connection),
    figures: null,
    findings: null,
    policies: null,
    connectionCount: 0,
    apiKeys: new MemoryApiKeyStore(cure),
    sessions: noSessions(cure),
    close: () => Promise.resolve(),
  };
}

function noSessions(cure: string): SessionStore {
  const message = `Sessions of the page need Postgres, and this test is in memory: ${cure}`;
  const refuse = (): Promise<never> => Promise.reject(new TickwheelError("UNSUPPORTED", message));
  return { create: refuse, findByHashes: refuse, use: refuse, end: refuse, list: refuse, endById: refuse };
}
