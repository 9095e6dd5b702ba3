/** A line of a node's log in JSON. */
export interface JsonLine extends Record<string, unknown> {
  time: string;
  level: string;
  msg: string;
  event?: string;
}

/** The lines of a log in JSON; what ends without an end of line is still to come. @throws if one is no object */
export function jsonLines(log: string): JsonLine[] {
  return log
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as JsonLine);
}
