import { clusterOptionsError, resolveClusterOptions, type SimulatedClusterOptions } from "./cluster-options.js";
import type { ClusterReport } from "./cluster-report.js";
import type { Strike } from "./fault-draw.js";
import { SimulatedCluster } from "./simulated-cluster.js";

/**
 * Runs a Nest application as a cluster: several nodes in this process, on virtual time, with faults that a seed draws.
 * The nodes, their handlers and the scheduler are real; Postgres, Redis and the network are models. It needs no test
 * runner, and sets no real timer. The same seed gives the same run, if the application itself draws nothing and reads
 * no clock.
 *
 * @returns what it has come to, with its assertions
 * @throws TickwheelError `CONFIGURATION_INVALID` with every fault of the options; what the scenario throws; Error: a
 *   node does not come up
 * @example
 * const report = await simulateCluster({
 *   seed: 7,
 *   app: ({ module, effects }) =>
 *     Test.createTestingModule({ imports: [OrdersModule, module] }).overrideProvider(Bank).useValue(new FakeBank(effects)),
 *   scenario: ({ tasks }) => tasks.schedule(ChargeOrder, { orderId: "42" }, { delay: "15m", key: "42" }),
 * });
 * report.expectOnce("charge", "42");
 */
export async function simulateCluster(options: SimulatedClusterOptions): Promise<ClusterReport> {
  return new SimulatedCluster(resolveClusterOptions(options)).run();
}

export interface SimulatedSeedsOptions extends Omit<SimulatedClusterOptions, "seed"> {
  /** How many seeds are run: 1, 2 … An integer of at least 1. Default 100. */
  seeds?: number | undefined;
  /** Judges each run; it throws where a run is bad. */
  check: (report: ClusterReport) => unknown;
}

/** What many runs have come to. */
export interface SeedsSummary {
  seeds: number;
  /** How many faults of each kind were drawn. */
  faults: Record<Strike["kind"], number>;
  /** How long all runs were by their own time, in milliseconds. */
  virtualMs: number;
}

/**
 * Runs many seeds, and stops at the first whose run is bad.
 *
 * @throws Error of the first bad run, with its seed, its faults and its story; otherwise as {@link simulateCluster}
 * @example await simulateSeeds({ ...cluster, seeds: 100, check: (report) => report.expectOnce("charge", "42") });
 */
export async function simulateSeeds({ seeds = 100, check, ...options }: SimulatedSeedsOptions): Promise<SeedsSummary> {
  if (!Number.isInteger(seeds) || seeds < 1)
    throw clusterOptionsError([{ path: "seeds", message: "must be an integer of at least 1" }]);
  const faults: SeedsSummary["faults"] = { kill: 0, pause: 0, cut: 0, "lost answer": 0 };
  let virtualMs = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const report = await simulateCluster({ ...options, seed });
    for (const { kind } of report.faults) faults[kind]++;
    virtualMs += report.virtualMs;
    await judge(report, check);
  }
  return { seeds, faults, virtualMs };
}

async function judge(report: ClusterReport, check: SimulatedSeedsOptions["check"]): Promise<void> {
  try {
    await check(report);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (message.includes(`\nSeed ${report.seed} `)) throw error;
    throw report.failed(message, undefined, error);
  }
}
