/** Fields of a line of the log. Those of the task (`id`, `type`, `attempt`, `fence`) win over others of their name. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes lines about one execution, each with the task's id and type, the attempt and the fence as fields. */
export interface TaskLogger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** What every line of an execution's logger tells. */
export interface LoggedExecution {
  /** The task's. */
  id: string;
  type: string;
  attempt: number;
  fence: number;
}

/** Makes the logger of an execution. It should not throw: what it throws is the handler's own failure. */
export type LoggerSource = (execution: LoggedExecution) => TaskLogger;

const nothing = (): void => undefined;

/** Where nobody logs. */
export const SILENT_LOGGER: TaskLogger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
