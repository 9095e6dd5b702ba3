export * from "./webhooks/allowed-hosts.js";
export { type BrokerChange, BrokerExecutor, type BrokerOptions } from "./brokers/broker-executor.js";
export {
  BrokerAwayError,
  type BrokerConnection,
  type BrokerMessage,
  PublishRefusedError,
} from "./brokers/broker-connection.js";
export { clientFaults } from "./brokers/connect-broker.js";
export {
  type AmqpTarget,
  brokerFaults,
  type BrokerTarget,
  BrokerTargets,
  type KafkaTarget,
  type NatsTarget,
  type RedisStreamTarget,
} from "./brokers/broker-targets.js";
export { DEFAULT_JUDGE, type JudgeOptions } from "./handlers/attempt-judge.js";
export { PROGRESS_END_LIMIT_MS, PROGRESS_INTERVAL_MS } from "./context/execution-progress.js";
export { type TransactionRunner } from "./context/execution-steps.js";
export type { SpawnDrafts, SpawnedTask } from "./context/execution-spawns.js";
export * from "./context/execution-context.js";
export * from "./context/handler-context.js";
export * from "./handlers/handler-executor.js";
export { AddressRanges, isAddressRange } from "./webhooks/public-addresses.js";
export { MAX_RESULT_DEPTH } from "./context/result-text.js";
export { type NameLookupOptions } from "./webhooks/name-lookup.js";
export { type Resolve } from "./webhooks/name-sources.js";
export * from "./context/task-logger.js";
export type { BreakerStates } from "./webhooks/host-breakers.js";
export { TracedExecutor } from "./context/traced-executor.js";
export * from "./webhooks/webhook-executor.js";
export { isSecret, SECRETS_RULE } from "./webhooks/webhook-request.js";
