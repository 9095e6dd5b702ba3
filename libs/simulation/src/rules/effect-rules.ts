import { SKIPPED } from "@tickwheel/core";
import type { EffectCommitted, HistoryEvent } from "../history/history-event.js";
import type { IndexedRun } from "../history/indexed-history.js";
import { type Finding, finding, findingsIn, type Rules } from "../history/rule.js";
import type { Account, TaskHistory } from "../history/task-history.js";

/** Effects in the tasks' database happen exactly once. */
export const effectRules = {
  "effect-at-most-once": effectAtMostOnce,
  "effect-iff-succeeded": effectIffSucceeded,
  "no-effect-after-cancel": noEffectAfterCancel,
} satisfies Rules;

/** [effects-once]: of an account no transaction's effect, and no step's, is there twice. */
function effectAtMostOnce({ accounts }: IndexedRun): Finding[] {
  return accounts.flatMap(({ taskId, effects }) =>
    findingsIn(effects, (effect, place) => {
      const first = effects.findIndex(({ step }) => step === effect.step);
      const what = effect.step === null ? "an effect" : `the effect of step ${effect.step}`;
      return first < place ? finding(taskId, `${what} was committed twice`, [effects[first]!, effect]) : null;
    }),
  );
}

/**
 * [effects-once]: the effect of a transactional handler is there if, and only if, its task `succeeded` and was not
 * skipped.
 */
function effectIffSucceeded({ accounts, options }: IndexedRun): Finding[] {
  return findingsIn(accounts, ({ taskId, row, effects, changes }) => {
    if (row === null) return null;
    const effect = effects.find(({ step }) => step === null);
    const last = changes.at(-1) ?? null;
    if (effect && row.state !== "succeeded")
      return finding(taskId, `an effect was committed, and the task is ${row.state}`, [effect, last]);
    const isDone = row.state === "succeeded" && row.reason !== SKIPPED;
    if (!effect && isDone && options.transactionalTypeIds.includes(row.typeId))
      return finding(taskId, "the task succeeded without its effect", [last]);
    return null;
  });
}

/** [cancel-stands]: of what was acknowledged as `cancelled`, no effect ever commits. */
function noEffectAfterCancel({ tasks }: IndexedRun): Finding[] {
  return tasks
    .filter(({ cancels }) => cancels.length > 0)
    .flatMap((task) =>
      cancelledAccounts(task).flatMap(({ cancel, account }) =>
        account.effects
          .filter((effect) => isAfter(task.events, effect, cancel))
          .flatMap((effect) => finding(task.id, "an effect follows an acknowledged cancel", [cancel, effect])),
      ),
    );
}

/** The accounts that a caller was told are cancelled, with the first acknowledgement of each. */
export function cancelledAccounts(task: TaskHistory): { cancel: HistoryEvent; account: Account }[] {
  const seen = new Set<Account>();
  return task.cancels.flatMap((cancel) => {
    const account = task.accountOf(cancel.fence);
    if (cancel.outcome !== "cancelled" || seen.has(account)) return [];
    seen.add(account);
    return [{ cancel, account }];
  });
}

function isAfter(events: readonly HistoryEvent[], effect: EffectCommitted, cancel: HistoryEvent): boolean {
  return events.indexOf(effect) > events.indexOf(cancel);
}
