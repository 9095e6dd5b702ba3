import {
  added,
  afterPage,
  isFailing,
  type MadeOperationPage,
  type MadePage,
  type OperationAction,
  pageSizeOf,
  partOfRound,
  type PassedCode,
  stopped,
  type TaskOperation,
  withPace,
} from "@tickwheel/core";
import type { Session, Statement } from "../connection/session.js";
import { findForPage } from "../reading/found-walk.js";
import type { ActedTask, ActRequest } from "../statements/operations/acting.js";
import { cancelFound } from "../statements/operations/cancel-found.js";
import { changeOperation } from "../statements/operation-rows/change-operation.js";
import { falloutOf } from "../statements/operation-rows/failing.js";
import { lockForPage, type OperationAtPage } from "../statements/operation-rows/lock-operation.js";
import { discardFound } from "../statements/operations/discard-found.js";
import { moveFound } from "../statements/operations/move-found.js";
import { pauseFound } from "../statements/operations/pause-found.js";
import { retryFound } from "../statements/operations/retry-found.js";
import { resumeFound } from "../statements/operations/resume-found.js";
import { stillFitting } from "../statements/operations/still-fitting.js";
import { tagFound } from "../statements/operations/tag-found.js";
import { writePage } from "../statements/operation-rows/write-page.js";
import { actOn } from "./act-on.js";
import { auditChange, SYSTEM } from "./operation-audit.js";
import type { PageContext } from "./page-context.js";
import { makeUndoPage } from "./undo-pages.js";

/** An operation remembers no more results than these bytes; without its result a task is put back all the same. */
const RESULT_BYTES = 256 * 1_024 * 1_024;

/** The statement of each action. */
const ACTS: Readonly<Record<OperationAction, (request: ActRequest) => Statement<null, ActedTask>>> = {
  cancel: cancelFound,
  retry: retryFound,
  restore: retryFound,
  discard: discardFound,
  reschedule: moveFound,
  run_now: moveFound,
  pause: pauseFound,
  resume: resumeFound,
  add_tag: tagFound,
  remove_tag: tagFound,
};

/**
 * Makes the next page of an operation in the session's transaction [page-whole]: locks the operation's row, *then*
 * looks for tasks, changes those that still fit under their own locks, and writes where it stands. Null: it is over, on
 * hold or not due, or others are at it.
 */
export async function makePage(context: PageContext, id: string): Promise<MadeOperationPage | null> {
  const [locked] = await context.session.run(lockForPage, { id, asOf: context.asOf });
  if (!locked) return null;
  return locked.operation.state === "undoing" ? makeUndoPage(context, locked) : makeActPage(context, locked);
}

async function makeActPage(context: PageContext, locked: OperationAtPage): Promise<MadeOperationPage> {
  const { session, clock } = context;
  const { operation } = locked;
  if (await failsAgain(session, operation)) return stopFailing(context, locked);
  const startedMonoMs = clock.monotonicMs();
  const found = await find(context, locked);
  const act = await actOnFound(context, locked, found.ids);
  const lockedIds = [...act.made.lockedIds, ...found.later];
  const made = { ...act.made, lockedIds, isLast: found.below === null, isMore: found.isMore };
  const page = { ...made, tookMs: clock.monotonicMs() - startedMonoMs };
  const written = await write(context, { locked, found, page, resultBytes: act.resultBytes });
  return { ...written, tasks: act.tasks, asked: act.asked };
}

/** Whether too many of the tasks that were changed last have failed again. */
async function failsAgain(session: Session, { id, options }: TaskOperation): Promise<boolean> {
  if (options.stopWhenFailing === null) return false;
  const [fallout] = await session.run(falloutOf, { id });
  return isFailing(options, fallout!);
}

async function stopFailing(
  { session, random, asOf }: PageContext,
  { operation, now }: OperationAtPage,
): Promise<MadeOperationPage> {
  const change = stopped(operation, "FAILING", now);
  const [after] = await session.run(changeOperation, { ...change, id: operation.id, asOf });
  const entry = { at: now, actor: SYSTEM, action: "operation.stopped", reason: null } as const;
  await auditChange({ session, random }, entry, { before: operation, after: after! });
  return { operation: after!, tasks: [], asked: [], nextAt: null };
}

interface Found {
  ids: readonly string[];
  /** Found before, and to be tried by a later page. */
  later: readonly string[];
  /** How many were not found before. */
  count: number;
  /** Whether there is another one, more than may be changed. */
  isMore: boolean;
  /** Where the next page goes on; null: nowhere. */
  below: string | null;
}

/** The tasks of the page: those below its place, or in a round those that others held. */
async function find(context: PageContext, locked: OperationAtPage): Promise<Found> {
  const { operation, round } = locked;
  const size = pageSizeOf(operation, context.pageSize);
  if (round > 0) return { ...partOfRound(locked, size), count: 0, isMore: false };
  // One more than may be changed tells whether the operation ends here by itself.
  const isBound = size === operation.options.atMost - operation.changed;
  const limit = isBound ? size + 1 : size;
  const wanted = { plan: operation, createdBefore: operation.createdAt, below: locked.below, limit };
  const { ids: found, below } = await findForPage(context, wanted);
  const isMore = found.length > size;
  const ids = found.slice(0, size);
  return { ids, later: [], count: ids.length, isMore, below: isMore ? (ids.at(-1) ?? below) : below };
}

/** What a page has done to its tasks. */
interface Act extends Pick<MadeOperationPage, "tasks" | "asked"> {
  made: Pick<MadePage, "changed" | "passed" | "lockedIds">;
  resultBytes: number;
}

async function actOnFound(
  { session, asOf }: PageContext,
  { operation, resultBytes }: OperationAtPage,
  ids: readonly string[],
): Promise<Act> {
  const act = ACTS[operation.action];
  const request = { operationId: operation.id, plan: operation, keepsResults: resultBytes < RESULT_BYTES, asOf };
  const { answers, keyTaken } = await actOn(session, ids, (some) => act({ ...request, ids: some }));
  const answered = new Set([...answers.map(({ id }) => id), ...keyTaken]);
  const rest = ids.filter((id) => !answered.has(id));
  const still = rest.length === 0 ? [] : await session.run(stillFitting({ plan: operation, ids: rest, asOf }), null);
  const tasks = answers.flatMap(({ task }) => task ?? []);
  return {
    tasks,
    asked: answers.flatMap(({ asked }) => asked ?? []),
    made: {
      changed: tasks.length,
      passed: passedOf(answers, { KEY_TAKEN: keyTaken.length, NO_LONGER: rest.length - still.length }),
      lockedIds: still,
    },
    resultBytes: answers.reduce((sum, answer) => sum + answer.resultBytes, 0),
  };
}

function passedOf(
  answers: readonly ActedTask[],
  others: Partial<Record<PassedCode, number>>,
): Partial<Record<PassedCode, number>> {
  let passed: Partial<Record<PassedCode, number>> = {};
  for (const { outcome } of answers) if (outcome !== "CHANGED") passed = added(passed, { [outcome]: 1 });
  const given = Object.entries(others).filter(([, count]) => count > 0);
  return added(passed, Object.fromEntries(given));
}

interface WrittenDown {
  locked: OperationAtPage;
  found: Found;
  page: MadePage;
  resultBytes: number;
}

/** Writes where the operation stands behind a page, and its end. */
async function write(
  { session, random, asOf, label }: PageContext,
  { locked, found, page, resultBytes }: WrittenDown,
): Promise<Pick<MadeOperationPage, "operation" | "nextAt">> {
  const { operation: before, now } = locked;
  const { ends, ...after } = afterPage(before, locked, page);
  const at = Math.round(now + page.tookMs);
  const [written] = await session.run(writePage, {
    ...after,
    id: before.id,
    node: label,
    state: ends,
    stopReason: ends === "stopped" ? "LIMIT" : null,
    asOf,
    below: found.below,
    found: before.found + found.count,
    changed: before.changed + page.changed,
    passed: added(before.passed, after.passed),
    recent: withPace(before.recent, { at, changed: page.changed }),
    resultBytes: locked.resultBytes + resultBytes,
  });
  const { operation, nextAt } = written!;
  if (ends === "running") return { operation, nextAt };
  const entry = { at, actor: SYSTEM, action: `operation.${ends}`, reason: null } as const;
  await auditChange({ session, random }, entry, { before, after: operation });
  return { operation, nextAt: null };
}
