import { SystemContext } from "@tickwheel/core";
import { Health } from "@tickwheel/coordination";
import { NodeMeters } from "../counting/node-meters.js";
import { Tallies } from "../counting/tallies.js";
import { DbClock } from "../runtime/db-clock.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { MeteredClock } from "../runtime/metered-clock.js";
import { PulseReader } from "../runtime/pulse-reader.js";
import { timedTaskStore } from "../runtime/timed-stores.js";
import { ClusterEventKeeper } from "../upkeep/cluster-event-keeper.js";
import type { SchedulerNodeOptions, SchedulerNodePorts } from "./scheduler-node-options.js";

/** What every part of a node works with, whether the node has an engine or not. */
export interface NodeContext extends EngineContext {
  clock: MeteredClock;
  /** Absent: nobody keeps what has happened to the cluster. */
  events?: ClusterEventKeeper | undefined;
}

/** Made in the asynchronous context in which the node's own work is to run. */
export function nodeContext(ports: SchedulerNodePorts, { scheduler }: SchedulerNodeOptions): NodeContext {
  const { random, telemetry, events } = ports;
  const home = new SystemContext();
  const meters = new NodeMeters();
  const clock = new MeteredClock(ports.clock, meters);
  const health = new Health(clock, telemetry);
  const tasks = timedTaskStore(ports.tasks, clock, scheduler.statementTimeoutMs);
  return {
    home,
    clock,
    random,
    tasks,
    telemetry,
    health,
    meters,
    dbClock: new DbClock({ clock, health, tasks, resampleMs: scheduler.clockResampleMs }),
    tallies: new Tallies(meters),
    events: events && new ClusterEventKeeper({ clock, health, telemetry }, events),
    pulse: ports.pulse && new PulseReader(clock, ports.pulse),
    options: scheduler,
  };
}
