import { randomUUID } from "node:crypto";
import { addressOf, GROUPS, inputShape, type Operation, type Shape } from "@tickwheel/contract/operations";

/** A call of the contract with an example of what it takes. */
export interface ExampleCall {
  id: string;
  row: Operation;
  verb: string;
  /** With parameters: `/v1/tasks/:id`. */
  path: string;
  /** Those of its fields that must be given, and those of {@link EXAMPLES}; undefined: it takes none. */
  body: Readonly<Record<string, unknown>> | undefined;
}

const NEW_TASK = { type: "matrix.new", delay: "2h" };
const YEARLY = { type: "matrix.yearly", cron: "0 0 1 1 *" };
/** What is more telling than the least that a call takes, by its id. */
const EXAMPLES: Readonly<Record<string, object>> = {
  create: NEW_TASK,
  createMany: { tasks: [NEW_TASK] },
  edit: { delay: "2h" },
  createSchedule: { name: "matrix", ...YEARLY },
  putSchedule: YEARLY,
  createBatch: { tasks: [NEW_TASK] },
  dryRunOperation: { action: "cancel", filter: { type: "matrix.new" } },
  startOperation: { action: "cancel", filter: { type: "matrix.new" } },
  addMembers: { tasks: [NEW_TASK] },
  updateType: { concurrency: 5 },
  updateNamespace: { maxRunning: 100 },
  backfillSchedule: { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z", dryRun: true },
};

/** Every call of the API, as its row says: a new row is here by itself. */
export const EXAMPLE_CALLS: readonly ExampleCall[] = GROUPS.flatMap(({ rows }) =>
  Object.entries(rows).map(([id, row]) => {
    const body = row.body && { ...(exampleOf(inputShape(row.body)) as object), ...EXAMPLES[id] };
    return { id, row, ...addressOf(row), body: body as ExampleCall["body"] };
  }),
);

/** A value of a shape: the least of it that is valid. */
export function exampleOf({ form, example }: Shape): unknown {
  if (example !== undefined) return example;
  switch (form.kind) {
    case "words":
      return form.words[0];
    case "list":
      return Number(form.json["minItems"] ?? 0) > 0 ? [exampleOf(form.of)] : [];
    case "either":
      return exampleOf(form.of[0]!);
    case "object": {
      const needed = Object.entries(form.fields).filter(([, { isOptional }]) => !isOptional);
      return Object.fromEntries(needed.map(([name, field]) => [name, exampleOf(field)]));
    }
    case "extended":
      return exampleOf(form.base);
    case "scalar":
      return scalarExample(form.json);
  }
}

function scalarExample({ type, format, minimum }: Readonly<Record<string, unknown>>): unknown {
  if (format === "uuid") return randomUUID();
  if (format === "date-time") return "2026-01-01T00:00:00Z";
  if (format === "uri") return "https://example.com/";
  if (type === "integer" || type === "number") return minimum ?? 1;
  if (type === "boolean") return false;
  return type === "object" ? {} : type === "string" ? "x" : "2h";
}
