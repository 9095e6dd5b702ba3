import { ConsoleLogger } from "@nestjs/common";

/** Who tells at the start which modules and routes there are: nothing that an operator needs. */
const TALKATIVE = ["InstanceLoader", "RoutesResolver", "RouterExplorer", "NestFactory", "NestApplication"];

/** Nest's logger without the list of modules and routes, and without colours where nobody sees them. */
export class NodeLogger extends ConsoleLogger {
  constructor() {
    super({ colors: process.stdout.isTTY, logLevels: ["log", "warn", "error", "fatal"] });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    if (typeof context !== "string" || !TALKATIVE.includes(context)) super.log(message, ...rest);
  }
}
