import type { ConnectionPoolState, MetricReading, MetricSample } from "@tickwheel/core";
import type { BreakerStates } from "@tickwheel/executors";

/** The node's connections to Postgres. */
export function poolMetrics(pools: readonly ConnectionPoolState[]): MetricReading[] {
  const samples = (valueOf: (pool: ConnectionPoolState) => number): MetricSample[] =>
    pools.map((pool) => ({ labels: { pool: pool.name }, value: valueOf(pool) }));
  const connections = pools.flatMap(({ name: pool, open, idle }) => [
    { labels: { pool, state: "idle" }, value: idle },
    { labels: { pool, state: "used" }, value: open - idle },
  ]);
  return [
    { name: "tickwheel_pool_connections", samples: connections },
    { name: "tickwheel_pool_size", samples: samples(({ size }) => size) },
    { name: "tickwheel_pool_waiting", samples: samples(({ waiting }) => waiting) },
  ];
}

/** The circuit breakers of webhooks' hosts and of brokers. */
export function breakerMetrics(...all: readonly BreakerStates[]): MetricReading {
  const sum = (state: keyof BreakerStates): number => all.reduce((total, states) => total + states[state], 0);
  const byState = { closed: sum("closed"), half_open: sum("halfOpen"), open: sum("open") };
  return {
    name: "tickwheel_breakers",
    samples: Object.entries(byState).map(([state, value]) => ({ labels: { state }, value })),
  };
}
