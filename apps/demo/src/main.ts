#!/usr/bin/env node
import { LocalServiceError, ServiceStack } from "@tickwheel/local-services";
import { endWithOutput } from "@tickwheel/observability";
import { type DemoRun, runDemo, SCHEDULE } from "./demo.js";
import { parseOptions, type DemoOptions } from "./options.js";
import { generateOrders } from "./orders/order-generator.js";
import { OrdersFileError, readOrders } from "./orders/orders.js";
import { jsonReport, textReport } from "./report/report.js";

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** Prints the report. @returns whether the run was ok */
function report({ verdict, facts, cluster, apiKey }: DemoRun, { isOnce, printsJson }: DemoOptions): boolean {
  const json = jsonReport(verdict, facts);
  print(textReport(verdict, facts));
  if (!json.ok) print(`The nodes' logs are in ${cluster.logFolder}`);
  const url = cluster.members[0]?.node.url;
  if (!isOnce && url) {
    print(`The cluster stays up until Ctrl-C.\n  API        ${url}/v1, ${url}/graphql\n  Dashboard  ${url}/dashboard`);
    print(`  Schedule   ${url}/dashboard/#/schedules/${SCHEDULE}\n  API key    ${apiKey}\n`);
  }
  if (printsJson) print(JSON.stringify(json));
  return json.ok;
}

/** @returns the exit code; does not return while the cluster stays up */
async function main(stack: ServiceStack): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  const orders = options.ordersFile ? readOrders(options.ordersFile) : generateOrders(options.count, options.seed);
  const run = await runDemo(stack, options, orders);
  const isOk = report(run, options);
  if (!options.isOnce) await new Promise<never>(() => {});
  await stack.stop();
  if (isOk) run.cluster.forgetLogs();
  return isOk ? 0 : 1;
}

let isStopping = false;
const stack = new ServiceStack().stopOnExit();
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.once(signal, () => (isStopping = true));
endWithOutput((code) => {
  isStopping = true;
  void stack.stopThenExit(code);
});

try {
  process.exitCode = await main(stack);
} catch (error) {
  // What is stopped on purpose fails in many ways, and the stack ends the process by itself then.
  if (isStopping) await new Promise<never>(() => {});
  const isExplained = error instanceof LocalServiceError || error instanceof OrdersFileError;
  process.stderr.write(
    `${isExplained || !(error instanceof Error) ? String(error) : (error.stack ?? error.message)}\n`,
  );
  await stack.stop();
  process.exitCode = 1;
}
process.exit();
