import type { Session, Statement } from "../connection/session.js";
import { isLockConflict, SQL_STATE, sqlStateOf } from "../connection/driver-errors.js";
import { beginAct, endAct, undoAct, waitNoMore } from "../statements/operations/act-trial.js";

/** What a statement made of the tasks of a page. */
export interface ActedOn<Answer> {
  answers: Answer[];
  /** Tasks whose key somebody took between the look and the act. */
  keyTaken: string[];
}

/**
 * Runs a page's statement for all of its tasks at once. Where another's key or lock is in the way nothing of that
 * stays, and each task goes alone: so one key or lock costs its own task only. A task without an answer fits no more,
 * or others hold it.
 *
 * Alone each waits a millisecond: with the page's own patience a page of 250 could hold its rows for 12 s.
 */
export async function actOn<Answer>(
  session: Session,
  ids: readonly string[],
  statementOf: (ids: readonly string[]) => Statement<null, Answer>,
): Promise<ActedOn<Answer>> {
  if (ids.length === 0) return { answers: [], keyTaken: [] };
  const together = await attempt(session, statementOf(ids));
  if (together.answers) return { answers: together.answers, keyTaken: [] };
  await session.run(waitNoMore, null);
  const acted: ActedOn<Answer> = { answers: [], keyTaken: [] };
  for (const id of ids) {
    const { answers, isKeyTaken } = await attempt(session, statementOf([id]));
    if (answers) acted.answers.push(...answers);
    else if (isKeyTaken) acted.keyTaken.push(id);
  }
  return acted;
}

/** No answers: another's key or lock was in the way, and nothing was done. */
async function attempt<Answer>(
  session: Session,
  statement: Statement<null, Answer>,
): Promise<{ answers?: Answer[]; isKeyTaken: boolean }> {
  await session.run(beginAct, null);
  try {
    const answers = await session.run(statement, null);
    await session.run(endAct, null);
    return { answers, isKeyTaken: false };
  } catch (error) {
    const isKeyTaken = sqlStateOf(error) === SQL_STATE.uniqueViolation;
    if (!isKeyTaken && !isLockConflict(error)) throw error;
    await session.run(undoAct, null);
    await session.run(endAct, null);
    return { isKeyTaken };
  }
}
