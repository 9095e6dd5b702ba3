/**
 * Where a node writes its log. `console` is one, and so is Nest's `Logger`. Each line is an object whose text
 * (`String`) may be printed as it is; a logger that takes an object's fields finds `msg`, `event`, the facts and `err`
 * in it.
 *
 * @example const logger: NodeLogger = { error: write, warn: write, log: write, debug: () => undefined };
 */
export interface NodeLogger {
  error(line: unknown): unknown;
  warn(line: unknown): unknown;
  /** Logs what goes as it should. */
  log(line: unknown): unknown;
  debug(line: unknown): unknown;
}
