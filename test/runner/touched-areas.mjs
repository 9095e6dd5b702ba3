// The areas of the repository, and which tests a change in each of them touches. One table: the runner reads it, and
// CONTRIBUTING.md shows it.

/**
 * @typedef {object} Area
 * @property {string} what what one touches
 * @property {RegExp} paths the files that belong to it
 * @property {RegExp} specs the tests that start processes, servers or a browser and that such a change touches, by
 *   their paths below `test/`. Tests in one process are found by what they import
 * @property {string[]} whole what to run before a release after such a change, as commands
 */

/** @type {readonly Area[]} */
export const AREAS = [
  {
    what: "a statement, the schema, the pool",
    paths: /^libs\/postgres-store\/src\/(statements|schema|sql|connection|opening|stores)\//,
    specs:
      /^(conformance\/postgres-|integration\/(postgres-store|data-source|database-habits)|ci\/(sql-mutants|postgres-15|killed-migration|online-migration|pg-bouncer))/,
    whole: [
      "npm run test:release -- sql-mutants postgres-15",
      "npm run test:ci -- pg-bouncer",
      "npm run test:release -- plans-postgres-15",
      "npm run test:owner",
    ],
  },
  {
    what: "claim, ending, recovery, coordination, leader",
    paths:
      /^libs\/(coordination|redis-coordination|engine\/src\/(claiming|ending|recovery|running|finding|paused|node|runtime|waiting))\/|^libs\/postgres-store\/src\/statements\/(claim|end|recover|leader|nodes)\//,
    specs:
      /^(conformance\/|faults\/(node-|postgres-restarted|redis-killed|two-applications)|ci\/(simulation|model|ten-nodes)|e2e\/(cluster-events|start-up))/,
    whole: [
      "npm run sim -- --seeds 10000",
      "npm run mutants",
      "npm run test:release -- model",
      "npm run bench -- faults",
      "npm run faults",
    ],
  },
  {
    what: "limits of the whole cluster",
    paths:
      /^libs\/engine\/src\/(limits\/|claiming\/limited)|^libs\/postgres-store\/src\/statements\/(limits\/|claim\/.*limit)/,
    specs: /^(conformance\/|faults\/cluster-limits|integration\/api\.limits)/,
    whole: ["npm run test:release -- faults/cluster-limits", "npm run bench -- limited"],
  },
  {
    what: "steps, checkpoints, walks, pauses",
    paths: /^libs\/executors\/src\/(context|handlers)\/|^libs\/postgres-store\/src\/.*(effect|hold|paused)/,
    specs: /^(faults\/(once|paused|step|walk)|e2e\/hold-races|integration\/(effects|paused-tasks))/,
    whole: ["npm run test:release -- faults/once faults/paused pause-races"],
  },
  {
    what: "keys, merges, bulks",
    paths:
      /^libs\/(core\/src\/task\/(key|merge|json)|postgres-store\/src\/(writing|statements\/create)|engine\/src\/requests)/,
    specs:
      /^(conformance\/|e2e\/merge-races|faults\/uploads|integration\/(api\.merge|bulks|overflowing|refreshes|service-(merge|tags|verbs)|payload-merges|postgres-store\.(bulks|locks|held-keys|transactions)))/,
    whole: ["npm run bench -- merge", "npm run test:release -- merge-races faults/uploads"],
  },
  {
    what: "schedules",
    paths: /^libs\/schedules\/|\/schedules\/|schedule/,
    specs: /^(integration\/(schedules|named-modules)|faults\/(schedule|backfill))/,
    whole: ["npm run test:release -- faults/schedules faults/backfill"],
  },
  {
    what: "batches",
    paths: /\/batches\/|batch/,
    specs:
      /^(integration\/(api\.batches|batches|service-batches)|faults\/(batches|settlement)|browser\/dashboard-batches)/,
    whole: ["npm run test:release -- faults/batches faults/settlement"],
  },
  {
    what: "operations on many tasks, dead letters",
    paths: /operation|\/undo\/|\/dead\/|dead-letter/,
    specs: /^(integration\/(operations|api\.operations|dead)|faults\/bulk-cancel|browser\/dashboard-(operations|dead))/,
    whole: ["npm run test:release -- faults/bulk-cancel dead-among-many", "npm run bench -- operations"],
  },
  {
    what: "payloads and their schemas",
    paths: /payload|json-schema/,
    specs: /^(integration\/payload|e2e\/heavy-payloads)/,
    whole: ["npm run test:release -- packed-application"],
  },
  {
    what: "webhooks",
    paths: /^libs\/executors\/src\/webhooks\//,
    specs: /^(e2e\/webhook|abuse\/(rude-webhooks|silent-names))/,
    whole: ["npm run test:release -- rude-webhooks silent-names"],
  },
  {
    what: "findings and figures",
    paths: /finding|figure/,
    specs: /^(integration\/(api\.findings|findings|figures)|faults\/findings|browser\/dashboard-findings)/,
    whole: ["npm run test:release -- findings-false-alarms"],
  },
  {
    what: "counters of ended tasks",
    paths: /tall(y|ies)|\/count(ing)?\//,
    specs: /^(integration\/(postgres-store\.tallies|figures)|faults\/count)/,
    whole: ["npm run test:release -- faults/node-killed faults/postgres-restarted"],
  },
  {
    what: "metrics, traces, the log",
    paths: /metric|tracing|trace|telemetry|log-line|logger|^libs\/observability\/|^docs\/monitoring\//,
    specs:
      /^(integration\/(metrics|monitoring|tracing)|faults\/(metrics|traces|outages-in-the-log)|e2e\/(failures-in-the-log|lost-output)|ci\/alerts)/,
    whole: ["npm run test:ci -- alerts"],
  },
  {
    what: "the timing wheel",
    paths: /^libs\/timing-wheel\//,
    specs: /^ci\/timing-wheel/,
    whole: ["npm run test:release -- timing-wheel", "npm run fuzz -- wheel --minutes 10"],
  },
  {
    what: "REST, GraphQL, bodies, keys",
    paths:
      /^libs\/(api|nestjs)\/src\/(bodies|calls|graphql|keys|limits|module|pages|problems|sessions|stream|tasks|input|requests)\//,
    specs:
      /^(integration\/(api\.|authorisation|mount|session-store)|e2e\/(bad-input|mounted-api|task-api|first-key)|abuse\/(fuzzed|rude|eight))/,
    whole: [
      "FUZZED_REQUESTS=100000 npm run test:ci -- fuzzed",
      "npm run test:ci -- rude",
      "npm run test:release -- eight",
    ],
  },
  {
    what: "the Nest module and its testing kit",
    paths: /^libs\/(nestjs\/src\/(module|node|handlers|tokens|publishing|transactions|heartbeat)|testing|simulation)\//,
    specs:
      /^(integration\/(nestjs|nest-guide|testing|foreign|named|transaction|late-start)|conformance\/delayed-publishing|e2e\/(nest-guide|blocked-loop)|abuse\/blocked-loop)/,
    whole: ["npm run test:release -- packed-application delayed-publishing"],
  },
  {
    what: "the page",
    paths: /^(apps\/dashboard|libs\/dashboard-files|libs\/api\/src\/pages)\//,
    specs: /^browser\//,
    whole: ["npm run test:ci -- browser"],
  },
  {
    what: "a guide",
    paths: /^docs\/guides\//,
    specs: /guide/,
    whole: ["npm run test:release -- guide"],
  },
  {
    what: "a `package.json`, exports, options of the compiler",
    paths: /(^|\/)(package(-lock)?\.json|tsconfig[^/]*\.json)$/,
    specs: /^(ci\/(packed-application|install-guide)|e2e\/start-up|release\/newer-node)/,
    whole: ["npm run test:release -- packed-application newer-node"],
  },
  {
    what: "the stand-alone node, local services",
    paths: /^(apps\/scheduler|libs\/local-services)\//,
    specs: /^(e2e\/(npm-start|readme|start-up|lost-output)|ci\/local-services)/,
    whole: ["npm run test:ci -- local-services"],
  },
  {
    what: "the shop, the demo",
    paths: /^apps\/(shop|demo)\//,
    specs: /^(ci\/demo|faults\/(uploads|settlement)|e2e\/readme)/,
    whole: ["npm run test:release -- demo"],
  },
  {
    what: "a hot statement, the hot path (before and after, in turns)",
    paths:
      /^libs\/postgres-store\/src\/statements\/(claim|create|end)\/|^libs\/engine\/src\/(claiming|ending|running|waiting)\//,
    specs: /^ci\/bench/,
    whole: ["npm run bench -- create", "npm run bench -- burst"],
  },
];
