import { type DynamicModule, Module, type Provider, type Type } from "@nestjs/common";
import { ApiExcludeController } from "@nestjs/swagger";
import { SystemClock } from "@tickwheel/core";
import { delayTaskNodeToken } from "@tickwheel/nestjs";
import { ApplicationLogIn, AUTHENTICATE, type Authenticate } from "../keys/application-log-in.js";
import { API_NODE } from "../keys/api-node.js";
import { ApiKeyApiService } from "../api-keys/api-key-api.service.js";
import { ApiKeysController } from "../api-keys/api-keys.controller.js";
import { SessionApiService } from "../api-keys/session-api.service.js";
import { SessionsController } from "../api-keys/sessions.controller.js";
import { KeyRates } from "../keys/key-rates.js";
import { KeyUses } from "../keys/key-uses.js";
import { ApiKeyGuard } from "../keys/api-key.guard.js";
import { ApiKeyRing } from "../keys/api-key-ring.js";
import { Callers } from "../keys/callers.js";
import { BatchApiService } from "../batches/batch-api.service.js";
import { BatchesController } from "../batches/batches.controller.js";
import { ClusterController } from "../cluster/cluster.controller.js";
import { DashboardController } from "../pages/dashboard.controller.js";
import { DocsController } from "../pages/docs.controller.js";
import { GraphqlController } from "../graphql/graphql.controller.js";
import { GraphqlEndpoint } from "../graphql/graphql-endpoint.js";
import { GraphqlRoot } from "../graphql/graphql-root.service.js";
import { ClusterApiService } from "../cluster/cluster-api.service.js";
import { HealthController } from "../cluster/health.controller.js";
import { LastingLoads, PollLoads } from "../limits/lasting-loads.js";
import { LoadLimit } from "../limits/load-limit.js";
import { UnusedConnections } from "../limits/unused-connections.js";
import { KnownParametersGuard } from "../bodies/known-parameters.guard.js";
import { LoadLimitGuard } from "../bodies/load-limit.guard.js";
import { ApiMetrics, RequestLimits } from "../metrics/api-metrics.js";
import { METRICS_OF_PROCESS, MetricsController } from "../metrics/metrics.controller.js";
import { MetricsGuard } from "../metrics/metrics.guard.js";
import { apiLimitsOf } from "./api-limits.js";
import { MountNotice } from "./mount-notice.js";
import { mount, type MountOptions } from "./mount.js";
import { OpenApiController } from "../pages/openapi.controller.js";
import { Entrance, MOUNT_PATH } from "../bodies/entrance.js";
import { PageBudget } from "../pages/page-budget.js";
import { OwnAnswers } from "../problems/own-answers.js";
import { ProblemFilter } from "../problems/problem.filter.js";
import { LogInTries } from "../sessions/log-in-tries.js";
import { SESSION_LIMITS } from "../keys/session-options.js";
import { SessionController } from "../sessions/session.controller.js";
import { SessionRing } from "../keys/session-ring.js";
import { StreamController } from "../stream/stream.controller.js";
import { STREAM_HUB } from "../stream/stream-hub.provider.js";
import { TopicAnswers } from "../stream/stream-topics.js";
import { ScheduleApiService } from "../schedules/schedule-api.service.js";
import { SchedulesController } from "../schedules/schedules.controller.js";
import { DeadLetterApiService } from "../dead-letters/dead-letter-api.service.js";
import { DeadLettersController } from "../dead-letters/dead-letters.controller.js";
import { QueueApiService } from "../queues/queue-api.service.js";
import { QueuesController } from "../queues/queues.controller.js";
import { OperationApiService } from "../operations/operation-api.service.js";
import { OperationsController } from "../operations/operations.controller.js";
import { SettingApiService } from "../settings/setting-api.service.js";
import { SettingsController } from "../settings/settings.controller.js";
import { StalledAnswers } from "../bodies/stalled-answers.js";
import { StalledAnswersGuard } from "../bodies/stalled-answers.guard.js";
import { TaskApiService } from "../tasks/task-api.service.js";
import { TasksController } from "../tasks/tasks.controller.js";

/** Where and how the API is mounted. */
export interface DelayTaskApiOptions extends MountOptions {
  /**
   * Puts REST, GraphQL, streams and the page behind the application's own log-in: asked who calls at each call that
   * bears neither an API key nor a session of the page. Null: nobody (401). An error lets nobody in (401), and neither
   * does an answer that takes longer than 5 s (503); the log says so. The request is as middleware and global guards
   * have left it. Users act as `user:<name>`. What they change needs a header `X-CSRF-Token` of any value, which no
   * other site can send: leave it out of what CORS allows to others. A stream asks again with its first request.
   * Default: keys and sessions alone.
   *
   * @example authenticate: (request: Request) => request.user ? { role: "operator", name: request.user.email } : null
   */
  authenticate?: Authenticate | undefined;
  /** The name of the `DelayTaskModule` that the API is of; default: the one without a name. */
  module?: string | undefined;
  /** Whether the dashboard is served; default true. */
  dashboard?: boolean | undefined;
  /** Whether the page that shows the OpenAPI document is served, at `/docs/`; default true. */
  docs?: boolean | undefined;
  /**
   * Whether `/metrics` is served for Prometheus, to keys with the right `cluster`; default false. `"process"`: with the
   * process's own metrics (memory, garbage collection), as a node that is nothing but a node has them. An application
   * with a registry of prom-client calls `registerMetrics` instead.
   */
  metrics?: boolean | "process" | undefined;
  /**
   * Whether the log of the start says which limits are the application's, and how a first key is made where there is
   * none; default true.
   */
  notice?: boolean | undefined;
  /**
   * A connection is ended when nothing of an answer was taken for so long although some of it waits, in milliseconds,
   * 1,000 to 86,400,000; default 60,000.
   */
  stalledAnswerMs?: number | undefined;
  /**
   * A session of the page is over this long after its log-in, in milliseconds, 1,000 to 31,536,000,000 (a year);
   * default 43,200,000 (12 h).
   */
  sessionMs?: number | undefined;
  /**
   * A session without a call for so long is over, in milliseconds, 1,000 to 31,536,000,000 (a year); default 3,600,000
   * (1 h).
   */
  sessionIdleMs?: number | undefined;
  /** Sessions of one key at once; a further log-in ends the oldest. 1 to 10,000; default 20. */
  sessionsPerKey?: number | undefined;
  /** Streams (`GET /v1/stream`) of one session of the page at once, 1 to 10,000; default 6. */
  streamsPerSession?: number | undefined;
  /** Streams of one key at once, its sessions among them, 1 to 100,000; default 100. */
  streamsPerKey?: number | undefined;
  /**
   * Streams of this node at once, 1 to 100,000; default 1,000. Namespaces share them: one has four times as many as it
   * leaves free at most.
   */
  streamsPerNode?: number | undefined;
  /**
   * Calls of consumers that wait for tasks (`POST /v1/queues/{type}/claims`), of one key, 1 to 100,000; default 1,000.
   */
  pollsPerKey?: number | undefined;
  /** The same of this node, 1 to 100,000; default 10,000. Namespaces share them as they share streams. */
  pollsPerNode?: number | undefined;
}

/**
 * REST, GraphQL, the dashboard and the page of the API in any Nest application, on Express or Fastify. It needs
 * `DelayTaskModule` and registers nothing global. The bodies of its own calls it reads itself, after the key, up to 1
 * MiB and of a bulk up to 16 MiB, whatever the application's parsers and limits are. Time-outs of headers and idle
 * connections, and how many connections there may be, are the application's server's.
 *
 * @example imports: [DelayTaskApiModule.forRoot({ path: "tickwheel", decorators: [Public()] }), DelayTaskModule.forRoot({ … })]
 */
@Module({})
export class DelayTaskApiModule {
  static forRoot(options: DelayTaskApiOptions = {}): DynamicModule {
    // Our document has them (`/openapi.json`); an application's own is about its own calls.
    return apiModule({ ...options, decorators: [ApiExcludeController(), ...(options.decorators ?? [])] });
  }

  /** Mounts the health checks alone, and the metrics if wanted, for a node without the API. */
  static forHealth(
    options: Pick<DelayTaskApiOptions, "module" | "path" | "decorators" | "stalledAnswerMs" | "metrics"> = {},
  ): DynamicModule {
    const decorators = [ApiExcludeController(), ...(options.decorators ?? [])];
    return {
      module: DelayTaskApiModule,
      controllers: [
        mount(HealthController, { ...options, decorators, guards: [StalledAnswersGuard] }),
        ...metricsControllers({ ...options, decorators }),
      ],
      providers: [
        ...nodeOf(options),
        ProblemFilter,
        OwnAnswers,
        stalledAnswers(options),
        ...(options.metrics ? callers(options) : []),
        ...metricsProviders(options),
      ],
    };
  }
}

const USE_CASES = [
  TaskApiService,
  ScheduleApiService,
  BatchApiService,
  OperationApiService,
  DeadLetterApiService,
  QueueApiService,
  SettingApiService,
  ApiKeyApiService,
  SessionApiService,
  ClusterApiService,
];

function apiModule(options: DelayTaskApiOptions): DynamicModule {
  return {
    module: DelayTaskApiModule,
    controllers: [...keyedControllers(options), ...controllersWithoutKey(options)],
    providers: [
      ...nodeOf(options),
      ...callers(options),
      ...metricsProviders(options),
      TopicAnswers,
      STREAM_HUB,
      ...USE_CASES,
      GraphqlEndpoint,
      GraphqlRoot,
      LoadLimitGuard,
      KnownParametersGuard,
      ProblemFilter,
      OwnAnswers,
      Entrance,
      ...(options.notice === false ? [] : [MountNotice]),
      stalledAnswers(options),
      { provide: MOUNT_PATH, useValue: options.path ?? "" },
      { provide: LogInTries, useFactory: () => new LogInTries(new SystemClock()) },
      { provide: LoadLimit, useFactory: () => new LoadLimit(new SystemClock()) },
      { provide: LastingLoads, useFactory: () => new LastingLoads(apiLimitsOf(options).streams) },
      { provide: PollLoads, useFactory: () => new PollLoads(apiLimitsOf(options).polls) },
      RequestLimits,
      UnusedConnections,
      { provide: PageBudget, useFactory: () => new PageBudget(new SystemClock()) },
    ],
    exports: [ApiKeyRing],
  };
}

/** What needs a key or a session. */
function keyedControllers(options: DelayTaskApiOptions): Type<object>[] {
  const keyed = [StalledAnswersGuard, ApiKeyGuard, LoadLimitGuard];
  const strict = { ...options, guards: [...keyed, KnownParametersGuard, ...(options.guards ?? [])] };
  const lenient = { ...options, guards: [...keyed, ...(options.guards ?? [])] };
  const ofTasks = [TasksController, SchedulesController, BatchesController];
  const ofRest = [
    ...ofTasks,
    OperationsController,
    DeadLettersController,
    QueuesController,
    SettingsController,
    ApiKeysController,
    SessionsController,
    ClusterController,
    StreamController,
  ];
  return [
    ...ofRest.map((controller) => mount(controller, strict)),
    // GraphQL over HTTP has parameters of its own, and a file is found whatever stands behind its path.
    mount(GraphqlController, lenient),
    mount(OpenApiController, lenient),
  ];
}

/** What is public, or sees to its callers itself. */
function controllersWithoutKey(options: DelayTaskApiOptions): Type<object>[] {
  const guards = options.guards ?? [];
  const page = { ...options, guards: [StalledAnswersGuard, ...guards] };
  return [
    ...(options.dashboard === false ? [] : [mount(DashboardController, page)]),
    ...(options.docs === false ? [] : [mount(DocsController, page)]),
    mount(SessionController, { ...options, guards: [StalledAnswersGuard, KnownParametersGuard, ...guards] }),
    mount(HealthController, { ...options, guards: [StalledAnswersGuard] }),
    ...metricsControllers(options),
  ];
}

/** Who calls, by a key or a session. */
function callers(options: DelayTaskApiOptions): Provider[] {
  return [
    ApiKeyRing,
    SessionRing,
    KeyUses,
    KeyRates,
    ApplicationLogIn,
    { provide: AUTHENTICATE, useValue: options.authenticate ?? null },
    Callers,
    { provide: SystemClock, useFactory: () => new SystemClock() },
    { provide: SESSION_LIMITS, useFactory: () => apiLimitsOf(options).sessions },
  ];
}

/** Not behind the load limit: a scrape tells most while a node has too much to do. */
function metricsControllers({ metrics = false, ...options }: DelayTaskApiOptions): Type<object>[] {
  if (metrics === false) return [];
  return [mount(MetricsController, { ...options, guards: [StalledAnswersGuard, MetricsGuard] })];
}

function metricsProviders({ metrics = false }: DelayTaskApiOptions): Provider[] {
  if (metrics === false) return [];
  return [ApiMetrics, MetricsGuard, { provide: METRICS_OF_PROCESS, useValue: metrics === "process" }];
}

/** The node and the service that the API is of. */
function nodeOf({ module }: Pick<DelayTaskApiOptions, "module">): Provider[] {
  return [{ provide: API_NODE, useExisting: delayTaskNodeToken(module) }];
}

function stalledAnswers(options: DelayTaskApiOptions): Provider {
  const make = (): StalledAnswers => new StalledAnswers(new SystemClock(), apiLimitsOf(options).stalledAnswerMs);
  return { provide: StalledAnswers, useFactory: make };
}
