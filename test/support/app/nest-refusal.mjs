// Hooks of module resolution, in their own thread: no package of Nest is found.
import { writeSync } from "node:fs";

const STDERR = 2;

export function resolve(specifier, context, nextResolve) {
  if (!specifier.startsWith("@nestjs/")) return nextResolve(specifier, context);
  writeSync(STDERR, `asked for ${specifier}\n`);
  throw new Error(`${specifier} is not installed`);
}
