import { ConsoleLogger, type LogLevel as NestLevel } from "@nestjs/common";
import { indentedLines, oneLine } from "@tickwheel/core";
import type { LogFormat, LogLevel } from "./environment.js";
import { logRecord, logText } from "./log-record.js";

/** Loggers that tell at the start which modules and routes there are: nothing that an operator needs. */
const TALKATIVE = ["InstanceLoader", "RoutesResolver", "RouterExplorer", "NestFactory", "NestApplication"];

/** Nest's levels from each of ours on. */
const NEST_LEVELS: Readonly<Record<LogLevel, NestLevel[]>> = {
  debug: ["verbose", "debug", "log", "warn", "error", "fatal"],
  info: ["log", "warn", "error", "fatal"],
  warn: ["warn", "error", "fatal"],
  error: ["error", "fatal"],
};

/** Ours of each of Nest's. */
const LEVELS: Readonly<Record<NestLevel, LogLevel>> = {
  verbose: "debug",
  debug: "debug",
  log: "info",
  warn: "warn",
  error: "error",
  fatal: "error",
};

interface JsonOptions {
  context: string;
  logLevel: NestLevel;
  errorStack?: unknown;
}

/**
 * Nest's logger in the two forms of a node: a JSON object per line, or a text for people, coloured on a terminal. In
 * both one event is one line; the text of an error may have further lines, which are indented. Errors go to stderr, the
 * rest to stdout. The list of modules and routes is left out.
 */
export class NodeLogger extends ConsoleLogger {
  private readonly isJson: boolean;

  constructor({ format, level }: { format: LogFormat; level: LogLevel }) {
    const isJson = format === "json";
    super({
      json: isJson,
      colors: !isJson && process.stdout.isTTY === true && !process.env["NO_COLOR"],
      logLevels: NEST_LEVELS[level],
    });
    this.isJson = isJson;
  }

  override log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    if (typeof context !== "string" || !TALKATIVE.includes(context)) super.log(message, ...rest);
  }

  /** A line for the operator who starts the node, at each level: as it is, or as the `msg` of an object. */
  print(line: string): void {
    process.stdout.write(this.isJson ? this.json("info", { msg: line }) : `${line}\n`);
  }

  /** The one message about a start that failed. */
  printFailure(message: string): void {
    process.stderr.write(this.isJson ? this.json("error", { msg: message }) : `tickwheel: ${message}\n`);
  }

  protected override printAsJson(message: unknown, { context, logLevel, errorStack }: JsonOptions): void {
    const line = this.json(LEVELS[logLevel], logRecord(message, { context, stack: errorStack }));
    process[LEVELS[logLevel] === "error" ? "stderr" : "stdout"].write(line);
  }

  /** An error stays the message: {@link logRecord} knows it. */
  protected override extractJsonError(messages: unknown[]): { messages: unknown[] } {
    return { messages };
  }

  /** The time as in the other form. */
  protected override formatPid(): string {
    return "";
  }

  protected override getTimestamp(): string {
    return new Date().toISOString();
  }

  // oxlint-disable-next-line max-params -- Nest's own
  protected override formatMessage(
    logLevel: NestLevel,
    message: unknown,
    _pid: string,
    _level: string,
    context: string,
  ): string {
    const level = this.colorize(LEVELS[logLevel].toUpperCase().padEnd(5), logLevel);
    const text = this.colorize(indentedLines(logText(message)), logLevel);
    return `${this.getTimestamp()} ${level} ${context}${text}\n`;
  }

  protected override printStackTrace(stack: string): void {
    if (stack && !this.isJson) process.stderr.write(`    ${indentedLines(stack)}\n`);
  }

  private json(level: LogLevel, fields: Record<string, unknown>): string {
    const first = { time: this.getTimestamp(), level };
    // Outside of its texts JSON has none of what is escaped, and in them the escape means the same.
    return `${oneLine(this.stringifyJsonLogObject({ ...first, ...fields, ...first }))}\n`;
  }
}
