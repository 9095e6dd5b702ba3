import type { ExecutionRef } from "@tickwheel/core";

/** The names of handlers' sessions begin with this. */
const PREFIX = "tw";
/** Its only group is the fence. */
const PATTERN = `^${PREFIX}/[0-9]{1,19}/[0-9a-f]{32}/([0-9]{1,7})$`;

/**
 * The `application_name` of a handler's session while its own transaction is open: `tw/boot id/task/fence`. The task's
 * id has no hyphens, so the name fits into the 63 bytes that Postgres keeps, up to the fence 9,999,999.
 * `pg_stat_activity` thus shows which task a session works for.
 */
export function handlerSessionName({ id, owner, fence }: ExecutionRef): string {
  return [PREFIX, owner, hexOf(id), fence].join("/");
}

/**
 * A setting of the transaction that a handler's effects run in: the execution. It is gone with that transaction, so a
 * write sees whether the handler has ended it by hand.
 */
export const EXECUTION_SETTING = "tickwheel.execution";

export function markOf({ id, owner, fence }: ExecutionRef): string {
  return [id.toLowerCase(), owner, fence].join("/");
}

/** Whether the transaction is still marked for the execution of this row. */
export function isMarkedFor(row: string): string {
  return `current_setting('${EXECUTION_SETTING}', true) = concat_ws('/', ${row}.id, ${row}.owner, ${row}.fence)`;
}

/** A task's id as it stands in these names. */
export function hexOf(id: string): string {
  return id.replaceAll("-", "").toLowerCase();
}

/**
 * The handlers' sessions that this role may see and end, as a relation: `pid, owner, task, fence`. Postgres hides the
 * sessions of other roles, unless this role is a member of theirs.
 */
export const HANDLER_SESSIONS = `
  SELECT a.pid, split_part(a.application_name, '/', 2) AS owner, split_part(a.application_name, '/', 3) AS task,
         substring(a.application_name FROM '${PATTERN}')::integer AS fence
    FROM pg_stat_activity a
   WHERE a.datname = current_database() AND a.application_name ~ '${PATTERN}' AND pg_has_role(a.usesysid, 'USAGE')`;
