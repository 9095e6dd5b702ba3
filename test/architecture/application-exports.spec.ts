import { expect, test } from "@jest/globals";
import * as forApplications from "@tickwheel/nestjs";
import * as forScripts from "@tickwheel/node";
import ts from "typescript";
import { ownPackages, read } from "./project-files.js";

const DOOR = "libs/nestjs/src/index.ts";
/** What applications get that is there when the program runs: each name here is a promise. */
const VALUES = [
  "BrokerAwayError",
  "ClusterCron",
  "ClusterInterval",
  "DelayApiKeys",
  "DelayBatches",
  "DelayDeadLetters",
  "DelayKeys",
  "DelayNamespace",
  "DelayOperations",
  "DelaySchedules",
  "DelayTaskHandler",
  "DelayTaskHealthIndicator",
  "DelayTaskModule",
  "DelayTaskNode",
  "DelayTaskService",
  "DelayTypes",
  "DelayedClient",
  "DelayedPublish",
  "FULL_SWEEP_INTERVAL_NAME",
  "InjectDelayTasks",
  "InjectDelayedClient",
  "MAX_IDS",
  "MAX_MEMBERS_OF_CALL",
  "MAX_PAGE",
  "MAX_PAYLOAD_BYTES",
  "MAX_RANGES",
  "NonRetryableError",
  "OnDelayTaskEvent",
  "PublishRefusedError",
  "RetryAtError",
  "TICKWHEEL_OPTIONS",
  "TICKWHEEL_SCHEDULER_REGISTRY",
  "TickwheelError",
  "dayBefore",
  "dayIn",
  "defineTask",
  "delayTaskHealthToken",
  "delayTaskNodeToken",
  "delayTasksToken",
  "delayedClient",
  "delayedClientToken",
  "drizzleTransactions",
  "duration",
  "kyselyTransactions",
  "migrate",
  "openDelayTaskNode",
  "openTracing",
  "pgTransactions",
  "prismaTransactions",
  "splitRange",
  "taskFilter",
  "taskTrigger",
];

/** What a script without Nest gets of them, with what makes its node. */
const VALUES_OF_SCRIPTS = [
  "BrokerAwayError",
  "DelayApiKeys",
  "DelayBatches",
  "DelayDeadLetters",
  "DelayKeys",
  "DelayNamespace",
  "DelayOperations",
  "DelaySchedules",
  "DelayTaskService",
  "DelayTypes",
  "MAX_IDS",
  "MAX_MEMBERS_OF_CALL",
  "MAX_PAGE",
  "MAX_PAYLOAD_BYTES",
  "MAX_RANGES",
  "NonRetryableError",
  "PublishRefusedError",
  "RetryAtError",
  "TickwheelError",
  "TickwheelNode",
  "createNode",
  "dayBefore",
  "dayIn",
  "defineTask",
  "drizzleTransactions",
  "duration",
  "kyselyTransactions",
  "migrate",
  "openTracing",
  "pgTransactions",
  "prismaTransactions",
  "splitRange",
  "taskFilter",
  "taskTrigger",
];

/** The names that the door takes from other libraries, by library. */
function passedOn(): Map<string, string[]> {
  const source = ts.createSourceFile(DOOR, read(DOOR), ts.ScriptTarget.Latest);
  const names = new Map<string, string[]>();
  for (const statement of source.statements) {
    if (!ts.isExportDeclaration(statement) || !statement.moduleSpecifier) continue;
    const from = (statement.moduleSpecifier as ts.StringLiteral).text;
    if (!from.startsWith("@tickwheel/")) continue;
    const { exportClause } = statement;
    names.set(
      from,
      exportClause && ts.isNamedExports(exportClause) ? exportClause.elements.map((e) => e.name.text) : ["*"],
    );
  }
  return names;
}

test("applications get the values of this list, and nothing that only the API or the testing libraries need", () => {
  expect(Object.keys(forApplications).sort()).toEqual(VALUES);
});

test("scripts get the values of their list, none of Nest and nothing of a node's inside", () => {
  expect(Object.keys(forScripts).sort()).toEqual(VALUES_OF_SCRIPTS);
});

/**
 * What is installed beside a package of ours, through those of ours that it brings: what it asks for, and its peers.
 */
function installedWith(name: string): string[] {
  const { manifest } = ownPackages().find((own) => own.manifest.name === name)!;
  const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  return [...names, ...names.filter((other) => other.startsWith("@tickwheel/")).flatMap(installedWith)];
}

test("no package of Nest is installed for a script", () => {
  const ofNest = (name: string): string[] => installedWith(name).filter((other) => other.startsWith("@nestjs/"));
  expect(ofNest("@tickwheel/nestjs")).toContain("@nestjs/common");
  expect(ofNest("@tickwheel/node")).toEqual([]);
});

test("applications get single names of other libraries, never all", () => {
  const names = passedOn();
  expect([...names.keys()]).toContain("@tickwheel/calls");
  expect([...names.values()].flat()).not.toContain("*");
});
