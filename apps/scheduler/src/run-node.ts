import "reflect-metadata";
import { ServiceStack } from "@tickwheel/local-services";
import { logSettings, parseEnvironment } from "./environment.js";
import { NodeLogger } from "./node-logger.js";
import { explainFailure } from "./start-failure.js";
import { startNode } from "./start-node.js";

/**
 * Runs a node until a signal: then it drains, and what it started stops. A start that fails ends with one message and
 * code 1.
 */
export async function runNode(): Promise<void> {
  const stack = new ServiceStack().stopOnExit();
  const logger = new NodeLogger(logSettings(process.env, process.stdout.isTTY));
  try {
    await startNode(parseEnvironment(process.env), stack, logger);
  } catch (error) {
    const message = explainFailure(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
    logger.printFailure(message);
    await stack.stop();
    process.exit(1);
  }
}
