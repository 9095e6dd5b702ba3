import type {
  Clock,
  ClusterEventSink,
  Random,
  SchedulerOptions,
  SystemContext,
  TaskStore,
  Telemetry,
} from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";
import type { DbClock } from "./db-clock.js";
import type { PulseReader } from "./pulse-reader.js";
import type { NodeMeters } from "../counting/node-meters.js";
import type { Tallies } from "../counting/tallies.js";

/** What every part of one node's engine works with: its ports, its options, its idea of the database's time. */
export interface EngineContext {
  clock: Clock;
  /** The node's own asynchronous context: foreign code runs in a fork of it. */
  home: SystemContext;
  random: Random;
  tasks: TaskStore;
  telemetry: Telemetry;
  health: Health;
  dbClock: DbClock;
  tallies: Tallies;
  /** What `/metrics` tells of this engine. */
  meters: NodeMeters;
  /** Where the node tells what has happened to it. Absent: nowhere. */
  events?: ClusterEventSink | undefined;
  /** One look for all chores. Absent: each chore looks by itself. */
  pulse?: PulseReader | undefined;
  options: SchedulerOptions;
}
