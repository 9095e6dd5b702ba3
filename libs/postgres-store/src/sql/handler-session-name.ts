import type { ExecutionRef } from "@tickwheel/core";

/** What the names of handlers' sessions begin with. */
const PREFIX = "tw";
/** With the fence as its only group. */
const PATTERN = `^${PREFIX}/[0-9]{1,19}/[0-9a-f]{32}/([0-9]{1,7})$`;

/**
 * The `application_name` of a handler's session while its own transaction is open: `tw/boot id/task/fence`, the task's
 * id without hyphens, so that it fits into the 63 bytes that Postgres keeps, up to the fence 9,999,999. People see in
 * `pg_stat_activity` which task a session works for.
 */
export function handlerSessionName({ id, owner, fence }: ExecutionRef): string {
  return [PREFIX, owner, hexOf(id), fence].join("/");
}

/** A task's id as it stands in these names. */
export function hexOf(id: string): string {
  return id.replaceAll("-", "").toLowerCase();
}

/**
 * The handlers' sessions that this role may see and end, as a relation: `pid, owner, task, fence`. Of another role's,
 * unless this one is a member of it, Postgres shows nothing.
 */
export const HANDLER_SESSIONS = `
  SELECT a.pid, split_part(a.application_name, '/', 2) AS owner, split_part(a.application_name, '/', 3) AS task,
         substring(a.application_name FROM '${PATTERN}')::integer AS fence
    FROM pg_stat_activity a
   WHERE a.datname = current_database() AND a.application_name ~ '${PATTERN}' AND pg_has_role(a.usesysid, 'USAGE')`;
