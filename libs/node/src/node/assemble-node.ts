import {
  type ClaimedTask,
  type Clock,
  NO_TRACING,
  type Occurrences,
  TICKWHEEL_VERSION,
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
import { handlerLoggers } from "../log/handler-logger.js";
import type { NodeGround } from "./node-ground.js";
import { nodeLabel } from "./node-label.js";
import { spawnDrafts } from "./spawn-drafts.js";

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
  const {
    clock,
    random,
    telemetry,
    stores,
    coordination,
    heartbeat,
    runningHandlers,
    schema,
    label = nodeLabel(),
    tracing = NO_TRACING,
  } = ground;
  const announced = new AnnouncedSchemas(
    (named) => scheduler.service.policyOf(named),
    (event) => telemetry.emit(event),
  );
  const payloads = new PayloadCheck(options.namespace, announced);
  const { handlers, webhooks } = executorsOf(options, { ...ground, payloads, tracing }, () => scheduler);
  const executors = [handlers, webhooks].map((executor) => new TracedExecutor(executor, tracing, label));
  const types: NodeType[] = [];
  const schedules: AnnouncedSchedule[] = [];
  const preparations: StartStep[] = [{ doing: "bringing the schema up to date", run: () => schema.run() }];
  const scheduler: SchedulerNode = new SchedulerNode(
    {
      ...{ clock, telemetry, random, coordination, runningHandlers, heartbeat, executors },
      ...storePorts(ground),
    },
    { ...nodeOptions(options), label, types, schedules, preparations, standsStill: ground.standsStill },
  );
  const node = new DelayTaskNode(options, {
    ...{ stores, node: scheduler, handlers, webhooks, telemetry, types, schedules, preparations, payloads },
    ...{ clock, schema, label, tracing },
    drive: ground.drive ?? ((work) => work()),
    isByHand: ground.drive !== undefined,
    codeSchedules: ground.codeSchedules ?? true,
  });
  return { node, scheduler, schedules };
}

function storePorts({ stores }: NodeGround) {
  const { tasks, cluster, nodes, figures, findings, events, policies, settings, limits, breakers, pulse } = stores;
  const { schedules, batches, operations, deadLetters, leases, claimSecrets } = stores;
  return {
    ...{
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
    },
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
): { handlers: HandlerExecutor; webhooks: WebhookExecutor } {
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
    spawnDrafts: spawnDrafts({ webhooks: options, payloads, tracing }, node),
  };
  const signsWebhooks = options.webhookSecrets.length > 0;
  return {
    handlers: new HandlerExecutor(ports, options.scheduler.resultLimitBytes),
    webhooks: webhookExecutor(options, clock, {
      currentTrace: () => tracing.current(),
      leavesToSigners: () => !signsWebhooks && node().webhooksAreSigned,
      restMs: (to) => node().breakers?.hosts.restMs(to) ?? 0,
    }),
  };
}

/** What handlers' transactions run on; null: the application has no database of its own. */
function transactionRunner({ transactions }: ResolvedNodeOptions): TransactionRunner | null {
  return transactions && ((work) => transactions.run((handle) => work(transactions.statements(handle), handle)));
}

function webhookExecutor(
  { webhookHosts: hosts, webhookSecrets: secrets, scheduler }: ResolvedNodeOptions,
  clock: Clock,
  asked: Pick<WebhookOptions, "currentTrace" | "leavesToSigners" | "restMs">,
): WebhookExecutor {
  const { concurrency, resultLimitBytes } = scheduler;
  const placesPerHost = Math.ceil(concurrency / 2);
  return new WebhookExecutor({ hosts, secrets, placesPerHost, resultLimitBytes, ...asked }, clock);
}
