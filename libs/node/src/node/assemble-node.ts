import {
  type ClaimedTask,
  faultMessage,
  NO_TRACING,
  type Occurrences,
  TICKWHEEL_VERSION,
  TickwheelError,
  type Tracing,
} from "@tickwheel/core";
import {
  continueSeries,
  type NodeType,
  SchedulerNode,
  type SchedulerNodeOptions,
  type StartStep,
} from "@tickwheel/engine";
import {
  BrokerExecutor,
  clientFaults,
  HandlerExecutor,
  TracedExecutor,
  type TransactionRunner,
  WebhookExecutor,
  type WebhookOptions,
} from "@tickwheel/executors";
import type { AnnouncedSchedule } from "@tickwheel/schedules";
import { AnnouncedSchemas, PayloadCheck } from "@tickwheel/calls";
import { DelayTaskNode } from "./delay-task.node.js";
import type { ResolvedNodeOptions } from "./node-options.js";
import { brokerEvent } from "../log/node-lines.js";
import { handlerLoggers } from "../log/handler-logger.js";
import type { NodeGround } from "./node-ground.js";
import { spawnDrafts } from "./spawn-drafts.js";
import { networkInterfaces } from "node:os";

/**
 * Puts a node together on its ground; nothing runs yet.
 *
 * @returns the node, the scheduler's node in it, and the schedules that its code will have defined when
 *   it starts
 */
export function assembleNode<Options extends ResolvedNodeOptions>(
  options: Options,
  ground: NodeGround,
): { node: DelayTaskNode<Options>; scheduler: SchedulerNode; schedules: readonly AnnouncedSchedule[] } {
  const { clock, telemetry, stores, schema, label = nodeLabel(), tracing = NO_TRACING } = ground;
  const announced = new AnnouncedSchemas(
    (named) => scheduler.service.policyOf(named),
    (event) => telemetry.emit(event),
  );
  const payloads = new PayloadCheck(options.namespace, announced);
  const { handlers, webhooks, brokers } = executorsOf(options, { ...ground, payloads, tracing }, () => scheduler);
  const executors = [handlers, webhooks, brokers].map((executor) => new TracedExecutor(executor, tracing, label));
  const types: NodeType[] = [];
  const schedules: AnnouncedSchedule[] = [];
  const preparations: StartStep[] = [
    { doing: "loading the clients of its brokers", run: () => requireClients(options) },
    { doing: "bringing the schema up to date", run: () => schema.run() },
  ];
  const scheduler: SchedulerNode = new SchedulerNode(
    { executors, ...portsOf(ground) },
    { ...nodeOptions(options), label, types, schedules, preparations, standsStill: ground.standsStill },
  );
  const node = new DelayTaskNode(options, {
    stores,
    node: scheduler,
    handlers,
    webhooks,
    brokers,
    telemetry,
    types,
    schedules,
    preparations,
    payloads,
    clock,
    schema,
    label,
    tracing,
    drive: ground.drive ?? ((work) => work()),
    isByHand: ground.drive !== undefined,
    codeSchedules: ground.codeSchedules ?? true,
  });
  return { node, scheduler, schedules };
}

function portsOf({ clock, telemetry, random, coordination, runningHandlers, heartbeat, stores }: NodeGround) {
  const { tasks, cluster, nodes, figures, findings, events, policies, settings, limits, breakers, pulse } = stores;
  const { schedules, batches, operations, deadLetters, leases, claimSecrets } = stores;
  return {
    clock,
    telemetry,
    random,
    coordination,
    runningHandlers,
    heartbeat,
    tasks,
    cluster,
    reports: nodes,
    events,
    settings,
    limits,
    leases,
    claimSecrets,
    breakers,
    schedules,
    batches,
    operations,
    deadLetters,
    pulse,
    figures: figures ?? undefined,
    findings: findings ?? undefined,
    policies: policies ?? undefined,
  };
}

function nodeOptions(
  options: ResolvedNodeOptions,
): Pick<SchedulerNodeOptions, "namespace" | "name" | "version" | "roles" | "scheduler" | "signsWebhooks"> {
  const { namespace, nodeName: name, roles, scheduler, webhookSecrets } = options;
  const signsWebhooks = webhookSecrets.length > 0;
  return { namespace, name, version: TICKWHEEL_VERSION, roles, scheduler, signsWebhooks };
}

/** How this node runs tasks. `node` answers once the node is made, which it is before any task runs. */
function executorsOf(
  options: ResolvedNodeOptions,
  {
    stores: { tasks, effects },
    clock,
    random,
    payloads,
    tracing,
    telemetry,
  }: NodeGround & { payloads: PayloadCheck; tracing: Tracing },
  node: () => SchedulerNode,
): { handlers: HandlerExecutor; webhooks: WebhookExecutor; brokers: BrokerExecutor } {
  const occurrences: Occurrences = {
    isOccurrence: (key) => node().features.schedules!.occurrences.isOccurrence(key),
    begin: (taskId, startedAt) => node().features.schedules!.occurrences.begin(taskId, startedAt),
  };
  const ports = {
    tasks,
    effects,
    clock,
    runTransaction: transactionRunner(options),
    occurrences,
    series: { goOn: (started: ClaimedTask) => continueSeries(started, { tasks, random, service: node().service }) },
    loggerOf: handlerLoggers(telemetry.logger),
    spawnDrafts: spawnDrafts({ deliveries: options, payloads, tracing }, node),
  };
  const { webhookHosts: hosts, webhookSecrets: secrets, brokers: targets, scheduler } = options;
  const places = Math.ceil(scheduler.concurrency / 2);
  const sending = {
    secrets,
    currentTrace: () => tracing.current(),
    leavesToSigners: () => secrets.length === 0 && node().webhooksAreSigned,
  };
  const restMs: WebhookOptions["restMs"] = (to) => node().breakers?.hosts.restMs(to) ?? 0;
  const { resultLimitBytes } = scheduler;
  return {
    handlers: new HandlerExecutor(ports, resultLimitBytes),
    webhooks: new WebhookExecutor({ ...sending, hosts, placesPerHost: places, resultLimitBytes, restMs }, clock),
    brokers: new BrokerExecutor(
      { ...sending, targets, placesPerTarget: places, onChange: (change) => telemetry.emit(brokerEvent(change)) },
      clock,
    ),
  };
}

/** @throws TickwheelError `CONFIGURATION_INVALID` where the client of a broker is not installed */
async function requireClients({ engine, brokers }: ResolvedNodeOptions): Promise<void> {
  const faults = engine ? await clientFaults(brokers, "brokers") : [];
  if (faults.length > 0) throw new TickwheelError("CONFIGURATION_INVALID", faultMessage(faults), { faults });
}

/** What handlers' transactions run on; null: the application has no database of its own. */
function transactionRunner({ transactions }: ResolvedNodeOptions): TransactionRunner | null {
  return transactions && ((work) => transactions.run((handle) => work(transactions.statements(handle), handle)));
}

/**
 * `ip:pid` of this process: the first address that others may see, else loopback. A name for people, never an identity.
 */
function nodeLabel(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outward = addresses.find((address) => !address.internal && address.family === "IPv4");
  return `${outward?.address ?? "127.0.0.1"}:${process.pid}`;
}
