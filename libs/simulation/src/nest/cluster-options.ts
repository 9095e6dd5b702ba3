import type { DynamicModule } from "@nestjs/common";
import { type DurationInput, type Fault, parseDurationMs, TickwheelError } from "@tickwheel/core";
import type { DelayTaskService } from "@tickwheel/nestjs";
import type { TestingBuilder } from "@tickwheel/testing/nest";
import type { NodeEffects, SimulatedTransaction } from "./node-effects.js";

/** What an application of one node is made with. */
export interface SimulatedNode {
  /** 1 for the first; a node that takes the place of a killed one has the next number. */
  number: number;
  /** In the place of `DelayTaskModule.forRoot()`, for an application that does not import it itself. */
  module: DynamicModule;
  /** What its fakes tell of effects. */
  effects: NodeEffects;
}

/** The part of a compiled `TestingModule`, or of an `INestApplication`, that is needed here. */
export interface SimulatedApplication {
  init(): Promise<unknown>;
  close(): Promise<unknown>;
}

/** The part of Nest's `TestingModuleBuilder` that is needed here. */
export interface ApplicationBuilder extends TestingBuilder {
  compile(): Promise<SimulatedApplication>;
}

/** What happens in a run, beside its faults. */
export interface Scenario {
  /** A caller of its own, that no fault strikes: it runs no tasks. */
  tasks: DelayTaskService;
  /**
   * Does something later.
   *
   * @param delay milliseconds after the scenario's begin, or a text such as `"10m"`
   * @example at("10m", () => tasks.cancelByKey(CancelOrder, "42"));
   */
  at(delay: DurationInput, work: () => Promise<unknown>): void;
}

/** Which faults are drawn. */
export interface FaultKinds {
  /** A node dies in the middle of a handler, and another takes its place later. Default true. */
  kills?: boolean | undefined;
  /** A node stands still for some seconds, loses its task, and goes on with it. Default true. */
  pauses?: boolean | undefined;
  /** A node is cut off from Postgres and from the others, or the answer to a commit is late or lost. Default true. */
  cuts?: boolean | undefined;
}

export interface SimulatedClusterOptions {
  /**
   * Makes the application of one node: its modules, with fakes in the place of what is outside. Called for each node,
   * and for each that takes the place of a killed one.
   *
   * @example app: ({ module, effects }) =>
   *   Test.createTestingModule({ imports: [OrdersModule, module] }).overrideProvider(Bank).useValue(new FakeBank(effects))
   */
  app(node: SimulatedNode): ApplicationBuilder;
  /** What is scheduled, and what is done later. It must not wait for tasks to run: the nodes start when it is done. */
  scenario(scenario: Scenario): unknown;
  /**
   * What handlers get as `manager`, made for each transaction. Default: the {@link SimulatedTransaction} itself.
   *
   * @example manager: (transaction) => ({ query: async (sql, [id]) => transaction.effect("paid", id) })
   */
  manager?: ((transaction: SimulatedTransaction) => object) | undefined;
  /** How many nodes there are, 1 to 9. Default 3. */
  nodes?: number | undefined;
  /** Draws everything; the same one gives the same run. An integer. Default 1. */
  seed?: number | undefined;
  /** Default: all. */
  faults?: FaultKinds | undefined;
  /**
   * The run ends when every task has ended, and at the latest when the nodes have run for so long: milliseconds, or a
   * text such as `"1h"`, which is the default. The wait for the first task does not count.
   */
  lasts?: DurationInput | undefined;
  /** The `name` of the module, where it has one. Default none. */
  name?: string | undefined;
}

/** The options with their defaults. */
export type ResolvedClusterOptions = Omit<SimulatedClusterOptions, "nodes" | "seed" | "faults" | "lasts"> & {
  nodes: number;
  seed: number;
  faults: Required<FaultKinds>;
  lastsMs: number;
};

const MAX_NODES = 9;

/** @throws TickwheelError `CONFIGURATION_INVALID` with every fault */
export function resolveClusterOptions(given: SimulatedClusterOptions): ResolvedClusterOptions {
  const { nodes = 3, seed = 1, faults = {}, lasts = "1h", ...rest } = given;
  const { kills = true, pauses = true, cuts = true } = faults;
  const lastsMs = parseDurationMs(lasts);
  const found: Fault[] = [];
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > MAX_NODES)
    found.push({ path: "nodes", message: `must be an integer from 1 to ${MAX_NODES}` });
  if (!Number.isInteger(seed)) found.push({ path: "seed", message: "must be an integer" });
  if (lastsMs === null || lastsMs === 0) found.push({ path: "lasts", message: 'must be a duration such as "1h"' });
  if (found.length === 0) return { ...rest, nodes, seed, lastsMs: lastsMs!, faults: { kills, pauses, cuts } };
  throw clusterOptionsError(found);
}

export function clusterOptionsError(faults: Fault[]): TickwheelError {
  const list = faults.map(({ path, message }) => `${path} ${message}`).join("; ");
  return new TickwheelError("CONFIGURATION_INVALID", `The cluster cannot be simulated: ${list}`, { faults });
}
