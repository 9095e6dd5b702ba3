import {
  added,
  afterUndo,
  type MadeOperationPage,
  type OperationAction,
  type PageTask,
  partOfRound,
  type RoundPart,
  type UndonePage,
  type UndoOutcome,
  withPace,
} from "@tickwheel/core";
import type { Session, Statement } from "../connection/session.js";
import type { OperationAtPage } from "../statements/operation-rows/lock-operation.js";
import { undoCancel } from "../statements/undo/undo-cancel.js";
import { undoDiscard, undoRetry } from "../statements/undo/undo-ends.js";
import { undoIds } from "../statements/undo/undo-ids.js";
import { undoInPlace } from "../statements/undo/undo-in-place.js";
import { leaveRemembered, type LeftTasks, undoRest } from "../statements/undo/undo-rest.js";
import type { UndoneTask, UndoRequest } from "../statements/undo/undoing.js";
import { writeUndoPage } from "../statements/undo/write-undo-page.js";
import { actOn } from "./act-on.js";
import { auditChange, SYSTEM } from "./operation-audit.js";
import type { PageContext } from "./page-context.js";

/** The statements that put back what each action has changed: each those that it is for. */
const UNDOS: Readonly<Record<OperationAction, readonly Statement<UndoRequest, UndoneTask>[]>> = {
  cancel: [undoCancel],
  retry: [undoRetry, undoInPlace],
  restore: [undoRetry],
  discard: [undoDiscard],
  reschedule: [undoInPlace],
  run_now: [undoInPlace],
  pause: [undoInPlace],
  resume: [undoInPlace],
  add_tag: [undoInPlace],
  remove_tag: [undoInPlace],
};

/**
 * Makes the next page of an undo, whose operation is locked [page-whole]: takes the next remembered tasks, puts those
 * back that are as the operation left them, under their own locks, tells why of the others, and writes where it stands.
 */
export async function makeUndoPage(context: PageContext, locked: OperationAtPage): Promise<MadeOperationPage> {
  const { clock } = context;
  const startedMonoMs = clock.monotonicMs();
  const found = await find(context, locked);
  const { tasks, outcomes, lockedIds } = await putBack(context, locked, found.ids);
  const page: UndonePage = {
    undone: tasks.length,
    left: countsOf(outcomes),
    lockedIds: [...lockedIds, ...found.later],
    isLast: found.above === null && found.below === null,
    tookMs: clock.monotonicMs() - startedMonoMs,
  };
  return { ...(await write(context, locked, { page, found })), tasks, asked: [] };
}

/**
 * The tasks of a page of the undo; `above`: the next one goes on there, null: it is one of a round, or there is none.
 */
interface Found extends RoundPart {
  above: string | null;
}

async function find({ session, pageSize }: PageContext, locked: OperationAtPage): Promise<Found> {
  if (locked.round > 0) return { ...partOfRound(locked, pageSize), above: null };
  const { operation, undoAbove: above } = locked;
  const ids = await session.run(undoIds, { operationId: operation.id, above, limit: pageSize });
  return { ids, later: [], below: null, above: ids.length < pageSize ? null : ids.at(-1)! };
}

/** What became of the tasks of a page. */
interface PutBack {
  /** Those that are as they were. */
  tasks: PageTask[];
  outcomes: UndoOutcome[];
  /** Others hold them. */
  lockedIds: string[];
}

async function putBack(
  { session, asOf }: PageContext,
  { operation }: OperationAtPage,
  ids: readonly string[],
): Promise<PutBack> {
  const { id: operationId, action, undo } = operation;
  const request = { operationId, action, overdue: undo!.overdue, asOf };
  const answers: UndoneTask[] = [];
  let rest = ids;
  for (const statement of UNDOS[action]) {
    const done = await actOn(session, rest, (some) => given(statement, { ...request, ids: some }));
    await leave(session, { operationId, ids: done.keyTaken, outcome: "KEY_TAKEN" });
    answers.push(...done.answers);
    const answered = new Set([...done.answers.map(({ id }) => id), ...done.keyTaken]);
    rest = rest.filter((id) => !answered.has(id));
  }
  const left = rest.length === 0 ? [] : await session.run(undoRest, { operationId, ids: rest });
  const keyTaken = ids.length - answers.length - rest.length;
  return {
    tasks: answers.flatMap(({ task }) => task ?? []),
    outcomes: [
      ...[...answers, ...left].map(({ outcome }) => outcome),
      ...Array<UndoOutcome>(keyTaken).fill("KEY_TAKEN"),
    ],
    lockedIds: left.filter(({ outcome }) => outcome === "LOCKED").map(({ id }) => id),
  };
}

/** A statement with its parameters, as a page of an act has one. */
function given<Parameters, Row>(statement: Statement<Parameters, Row>, request: Parameters): Statement<null, Row> {
  return { ...statement, values: () => statement.values(request) };
}

/** Notes why some were not put back. */
async function leave(session: Session, left: LeftTasks): Promise<void> {
  if (left.ids.length > 0) await session.run(leaveRemembered, left);
}

/** What is told of a page; what others held comes again, and is told in the end. */
function countsOf(outcomes: readonly UndoOutcome[]): UndonePage["left"] {
  let counts: UndonePage["left"] = {};
  for (const outcome of outcomes)
    if (outcome !== "UNDONE" && outcome !== "LOCKED") counts = added(counts, { [outcome]: 1 });
  return counts;
}

/** Writes where the undo stands behind a page, and its end. */
async function write(
  { session, random, asOf, label }: PageContext,
  locked: OperationAtPage,
  { page, found: { above, below } }: { page: UndonePage; found: Found },
): Promise<Pick<MadeOperationPage, "operation" | "nextAt">> {
  const { operation: before, now } = locked;
  const { id } = before;
  const { ends, round, lockedIds, restMs, left, givenUp } = afterUndo(locked, page);
  await leave(session, { operationId: id, ids: givenUp, outcome: "LOCKED" });
  const at = Math.round(now + page.tookMs);
  const [written] = await session.run(writeUndoPage, {
    id,
    round,
    lockedIds,
    above,
    below,
    restMs,
    node: label,
    state: ends,
    asOf,
    undone: before.undone + page.undone,
    leftBehind: added(before.leftBehind, left),
    recent: withPace(before.recent, { at, changed: page.undone }),
  });
  const { operation, nextAt } = written!;
  if (ends === "undoing") return { operation, nextAt };
  const entry = { at, actor: SYSTEM, action: "operation.undone", reason: null } as const;
  await auditChange({ session, random }, entry, { before, after: operation });
  return { operation, nextAt: null };
}
