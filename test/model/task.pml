/*
 * The protocol of one task, for Spin; `npm run model` checks it.
 *
 * One task, NODES nodes, and nobody is trusted: there is no owner, view or leader here, any node may look for the task and claim it at
 * any time. The row changes in single steps, because every statement decides under the row's lock. Between two steps of a node the
 * others may do anything: so a pause needs no step of its own, and each message, answer and COMMIT is as late as it likes.
 *
 * Faults and wishes have budgets, so they stop. A look or a poll is a step only where it would find something; one that finds nothing
 * changes nothing. So "nothing is lost" needs no assumption of fairness: no run goes on for ever without a terminal task, and none ends
 * without one.
 *
 *   faults    crash with restart, false suspicion of a node that goes on, request or answer lost (of a claim, a settle, a handler's
 *             COMMIT), hint lost, late claim, late COMMIT, handler that fails, time-out with a handler that goes on
 *   callers   a create whose COMMIT comes at any time, a cancel, and a retry that is asked for: it opens a new account
 *
 *   property                holds               says
 *   AT_MOST_ONE_EFFECT      always              of each account at most one execution commits its effect
 *   NO_EFFECT_AFTER_CANCEL  always              of an account that ended `cancelled` none ever does
 *   NOTHING_LOST            always              in the end the task is terminal
 *   AT_MOST_ONE_HANDLER     with self-fencing   no handler starts while another runs
 *   NO_START_AFTER_CANCEL   with self-fencing   no handler starts for an account that ended `cancelled`
 *
 * SELF_FENCING brings in time, as three assumptions: a node stops by itself before it is declared dead; a handler ends when it is told
 * to; the answer to a claim comes, or is given up (`statementTimeoutMs`), before the node that sent it can be declared dead. LATE_ANSWERS
 * takes the third away: then two handlers may run.
 *
 *   step here                  stands for
 *   commit_create              libs/postgres-store/src/statements/create/insert-tasks.ts, after however long a transaction
 *   publish                    libs/engine/src/finding/hints.ts
 *   look, send_claim           libs/engine/src/finding/due-sweeper.ts, full-sweep.ts, window-loader.ts; claimer.ts `runOnce`, `claim`
 *   execute_claim              libs/postgres-store/src/statements/claim/claim-tasks.ts
 *   answer_claim               libs/engine/src/claiming/claimer.ts `accept`, dispatcher.ts `accept`
 *   give_up_claim, late claim  libs/engine/src/claiming/claimer.ts `fail`: the connection is destroyed, the statement may go on
 *   start                      libs/engine/src/running/dispatcher.ts `startDue`, `verifyAndRun` (statements/claim/verify-start.ts), `run`
 *   commit_effect              libs/executors/src/handler-context.ts: the handler's writes and statements/end/complete-tasks.ts as one
 *   fail, time_out, obey       libs/engine/src/running/dispatcher.ts `end`, `timeOut`, `cancel`
 *   settle: charge, give_back  libs/engine/src/ending/settler.ts, write-queue.ts; statements/end/leave-running.ts, charged and not
 *   find_in_doubt, release     libs/engine/src/recovery/reconciler.ts; statements/recover/running-under.ts, leave-running.ts
 *   fence, resume, rejoin      libs/engine/src/node/engine.ts `listener`, `resume`; libs/coordination/src/node/cluster-node.ts, condition-keeper.ts, incarnation.ts
 *   declare_dead               libs/postgres-store/src/statements/nodes/lock-node.ts, set-node-state.ts
 *   reap                       libs/engine/src/recovery/reaper.ts; statements/recover/reap-tasks.ts
 *   cancel                     libs/postgres-store/src/statements/request/cancel-task.ts
 *   ask_retry                  libs/postgres-store/src/statements/request/retry-task.ts
 *
 * Made smaller, and nothing is lost by it: of a fence only matters whether it is still the row's, so an execution holds one bit of it;
 * what a row holds besides its state when its task has ended is cleared; a node that is down is one that takes its time.
 *
 * Left out: drain (its releases are those of a fence), `ctx.once` (commit_effect's guard without its change of state), keys, pull
 * claims, deferral, expiry, history, and whatever only decides who tries first.
 *
 * Planted bugs, one switch each; with it the model must fail:
 *   BUG_CURSOR                  the loader passes over each due time once, and nobody sweeps
 *   BUG_NO_TOKEN                writes about an execution ask whether the row is running, not whose it is
 *   BUG_SAME_TOKEN              the fence is never raised, so only the owner tells executions apart
 *   BUG_NO_RECONCILE            a node never asks what runs in its name
 *   BUG_READ_THEN_WRITE_CANCEL  a cancel reads the state, and writes later what follows from it
 *   BUG_LATE_REPLY              the answer of a claim that was given up is used when it comes
 */

#ifndef NODES
#define NODES 2
#endif
/* How often each fault, and each wish of a caller, may happen in one run. */
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef SUSPICIONS
#define SUSPICIONS 1
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef FAILURES
#define FAILURES 1
#endif
#ifndef TIMEOUTS
#define TIMEOUTS 1
#endif
#ifndef CANCELS
#define CANCELS 1
#endif
#ifndef RETRIES
#define RETRIES 1
#endif

#define MAX_ATTEMPTS 2
#define MAX_CRASHES 2

/* The row. */
#define NONE 0
#define SCHEDULED 1
#define RUNNING 2
#define SUCCEEDED 3
#define DEAD 4
#define CANCELLED 5
#define NOBODY 0

typedef Execution {
  byte boot;   /* the owner that its claim wrote */
  bit has_fence; /* whether the fence that its claim wrote is still the row's: nothing else about a fence matters */
  bit account;   /* no part of the protocol: whose effect it would be */
}

byte state = NONE;
byte owner = NOBODY;
byte attempt = 0;
byte crashes = 0;
bit cancel_requested = 0;
short dead_boots = 0; /* node rows in state `dead`, one bit for each boot id */
short gone_boots = 0; /* their process has ended, and nobody has said so yet */

/* No part of the protocol: what the outside has seen. An account ends where somebody asks for a retry. */
bit account = 0;
bit effect[2];
bit cancelled[2];

/* What a node does with a claim, an execution and a write, each at most one: there is one task. */
#define IDLE 0
#define SENT 1
#define ANSWERED 2
#define FENCED 3 /* no further claim before the next beat, which learns why */
#define CLAIMED 1
#define STARTED 2
#define FAIL 1
#define GIVE_BACK 2

typedef Node {
  byte boot;
  byte claim;
  byte phase;
  byte writing; /* what waits for the store's acknowledgement */
  bit in_doubt;
  byte orphan; /* the boot id of a claim that was given up and may still reach the store */
#ifdef SELF_FENCING
  bit fenced;
#endif
#ifdef BUG_CURSOR
  bit has_looked;
#endif
#ifdef BUG_LATE_REPLY
  bit has_late_reply;
#endif
}

Node node[NODES];

/* The executions that anybody knows of, each in the place of what is done with it. */
#define CLAIMING(n) (n)
#define RUN_BY(n) (NODES + n)
#define ENDED(n) (2 * NODES + n)
#define DOUBTED(n) (3 * NODES + n)
#define STRAY (4 * NODES)
#ifdef BUG_LATE_REPLY
#define LATE(n) (4 * NODES + 1 + n)
#define PLACES (5 * NODES + 1)
#else
#define PLACES (4 * NODES + 1)
#endif
Execution execution[PLACES];
/* A handler that nobody waits for: its execution timed out, or its node died while the COMMIT was on its way. */
bit astray = 0;
byte place = 0;

/* Nodes are alike, so of all orders in which they may first act one will do: by their numbers. */
byte awake = 1;
#define is_awake(n) ((n) < awake)
inline act(n) {
  if
  :: n == awake - 1 && awake < NODES -> awake++
  :: else
  fi
}

/* What is left of each budget. */
byte crashes_left = CRASHES;
byte suspicions_left = SUSPICIONS;
byte losses_left = LOSSES;
byte failures_left = FAILURES;
byte timeouts_left = TIMEOUTS;

#define is_dead(b) ((dead_boots >> (b)) & 1)
#define is_terminal (state >= SUCCEEDED)

/* Whether this execution is the one that the row names. */
#define names_row(x) (owner == execution[x].boot && execution[x].has_fence)
/* The guard of every statement about an execution. */
#ifdef BUG_NO_TOKEN
#define is_current(x) (state == RUNNING)
#else
#define is_current(x) (state == RUNNING && names_row(x))
#endif

#ifdef SELF_FENCING
#define may_work(n) (!node[n].fenced)
#else
#define may_work(n) true
#endif

/* ONLY checks one property; 0 checks them all but NOTHING_LOST, which is a formula, at the end. */
#define AT_MOST_ONE_EFFECT 1
#define NO_EFFECT_AFTER_CANCEL 2
#define NOTHING_LOST 3
#define AT_MOST_ONE_HANDLER 4
#define NO_START_AFTER_CANCEL 5
#ifndef ONLY
#define ONLY 0
#endif
#define check(property, holds) assert((ONLY != 0 && ONLY != property) || (holds))

/* Of these the owner is compared with the row's, together with the fence, and not with the node's: without the fence it says nothing. */
#define is_only_compared(x) (x >= ENDED(0) && x <= STRAY)

/* No execution has the row's fence now. */
inline raise_fence() {
#ifndef BUG_SAME_TOKEN
  d_step {
    for (place : 0 .. PLACES - 1) {
      execution[place].has_fence = 0;
      if
      :: is_only_compared(place) -> execution[place].boot = NOBODY
      :: else
      fi
    }
    place = 0
  }
#else
  skip
#endif
}

inline copy_reference(to, from) {
  execution[to].has_fence = execution[from].has_fence;
  if
  :: is_only_compared(to) && !execution[from].has_fence -> execution[to].boot = NOBODY
  :: else -> execution[to].boot = execution[from].boot
  fi
}

inline copy(to, from) {
  copy_reference(to, from);
  execution[to].account = execution[from].account
}

inline forget(x) {
  execution[x].boot = NOBODY;
  execution[x].has_fence = 0;
  execution[x].account = 0
}

#define runs(n) (node[n].phase == STARTED)
#if NODES == 2
#define nobody_runs !(runs(0) || runs(1))
#else
#define nobody_runs !(runs(0) || runs(1) || runs(2))
#endif

/* ── The store: each of these is one statement, so part of one step ─────────────────────────────────────────────────────── */

/* An entry that waits in a wheel is a claim that is sent and executed late: that a node knows of the task is no state of its own. */
#define can_send(n) (is_awake(n) && node[n].claim == IDLE && node[n].phase == IDLE && may_work(n))
inline send_claim(n) {
  act(n);
  node[n].claim = SENT;
  execution[CLAIMING(n)].boot = node[n].boot
}

/* A hint: lost, or acted on by whoever gets it. */
inline publish() {
  if
  :: skip
  :: can_send(0) -> send_claim(0)
  :: can_send(1) -> send_claim(1)
#if NODES == 3
  :: can_send(2) -> send_claim(2)
#endif
  fi
}

/* What else a row holds when its task has ended matters to nobody. */
inline end_task(as) {
  state = as;
  owner = NOBODY;
  attempt = 0;
  crashes = 0;
  cancel_requested = 0
}

inline end_cancelled() {
  end_task(CANCELLED);
  cancelled[account] = 1;
  check(NO_EFFECT_AFTER_CANCEL, !effect[account])
}

inline schedule_again() {
  state = SCHEDULED;
  owner = NOBODY;
  raise_fence();
  publish()
}

/* The guard on the node row is a lock: whoever declares the node dead waits for this statement, or this one for them. */
inline execute_claim(by) {
  state = RUNNING;
  owner = by;
  raise_fence();
  attempt++
}
#define can_claim(by) (state == SCHEDULED && !is_dead(by))

/* The handler's own writes and the guarded completion are one transaction: if the guard refuses, the effect is rolled back. */
inline commit_effect(x) {
  if
  :: is_current(x) ->
    end_task(SUCCEEDED);
    check(AT_MOST_ONE_EFFECT, !effect[execution[x].account]);
    effect[execution[x].account] = 1;
    check(NO_EFFECT_AFTER_CANCEL, !cancelled[execution[x].account])
  :: else
  fi
}

/* The execution did not count: its attempt is given back. */
inline give_back(x) {
  if
  :: is_current(x) && cancel_requested -> end_cancelled()
  :: is_current(x) && !cancel_requested ->
    attempt--;
    schedule_again()
  :: else
  fi
}

/* The attempt failed, and counts. */
inline charge(x) {
  if
  :: is_current(x) && cancel_requested -> end_cancelled()
  :: is_current(x) && !cancel_requested && attempt >= MAX_ATTEMPTS -> end_task(DEAD)
  :: is_current(x) && !cancel_requested && attempt < MAX_ATTEMPTS -> schedule_again()
  :: else
  fi
}

/* ── A node ────────────────────────────────────────────────────────────────────────────────────────────────────────────── */

#define me node[n]

/* Whether memory holds the execution that the row names; a claim in flight may bring it. */
#define holds_row(n) (me.claim != IDLE || (me.phase != IDLE && names_row(RUN_BY(n))) || (me.writing != IDLE && names_row(ENDED(n))))

/* The execution has ended here; what became of it waits for the store. */
inline write(what) {
  me.writing = what;
  copy_reference(ENDED(n), RUN_BY(n));
  me.phase = IDLE;
  forget(RUN_BY(n))
}

inline lead_astray() {
  astray = 1;
  copy(STRAY, RUN_BY(n))
}

inline stop_waiting_for_claim() {
  me.claim = IDLE;
  forget(CLAIMING(n))
}

proctype Worker(byte n) {
end:
  do

  /* look: what is scheduled is found again and again */
#ifdef BUG_CURSOR
  :: atomic { is_awake(n) && !me.has_looked ->
    act(n);
    me.has_looked = 1;
    if
    :: state == SCHEDULED && can_send(n) -> send_claim(n)
    :: else
    fi }
#else
  :: atomic { state == SCHEDULED && can_send(n) -> send_claim(n) }
#endif

  /* execute_claim */
  :: atomic { me.claim == SENT && can_claim(execution[CLAIMING(n)].boot) ->
    execute_claim(execution[CLAIMING(n)].boot);
    execution[CLAIMING(n)].has_fence = 1;
    execution[CLAIMING(n)].account = account;
    me.claim = ANSWERED }
  :: atomic { me.claim == SENT && state != SCHEDULED -> stop_waiting_for_claim() }
  :: atomic { me.claim == SENT && is_dead(execution[CLAIMING(n)].boot) ->
    stop_waiting_for_claim();
    if
    :: is_dead(me.boot) -> me.claim = FENCED
    :: else
    fi }

  /* answer_claim */
  :: atomic { me.claim == ANSWERED && me.phase == IDLE && may_work(n) ->
    me.phase = CLAIMED;
    copy(RUN_BY(n), CLAIMING(n));
    stop_waiting_for_claim() }
#ifdef SELF_FENCING
  :: atomic { me.claim == ANSWERED && me.phase == IDLE && me.writing == IDLE && !may_work(n) ->
    copy(RUN_BY(n), CLAIMING(n));
    stop_waiting_for_claim();
    write(GIVE_BACK) }
#endif

  /* give_up_claim: the statement may still be on its way to the store, or it has been there and its answer will be discarded */
  :: atomic { me.claim == SENT && losses_left > 0 && me.orphan == NOBODY ->
    losses_left--;
    me.orphan = execution[CLAIMING(n)].boot;
    stop_waiting_for_claim() }
  :: atomic { me.claim == ANSWERED && losses_left > 0 ->
    losses_left--;
#ifdef BUG_LATE_REPLY
    me.has_late_reply = 1;
    copy(LATE(n), CLAIMING(n));
#endif
    stop_waiting_for_claim() }
#ifdef BUG_LATE_REPLY
  :: atomic { me.has_late_reply && me.phase == IDLE && may_work(n) ->
    me.has_late_reply = 0;
    me.phase = CLAIMED;
    copy(RUN_BY(n), LATE(n));
    forget(LATE(n)) }
#endif

  /* a late claim, of a node that has given it up or died: it is executed, or it never arrives */
  :: atomic { me.orphan != NOBODY && can_claim(me.orphan) ->
    execute_claim(me.orphan);
    me.orphan = NOBODY }
  :: atomic { me.orphan != NOBODY -> me.orphan = NOBODY }

  /* start: a claim of an earlier boot id is so old that it is verified first */
  :: atomic { me.phase == CLAIMED && may_work(n) && (execution[RUN_BY(n)].boot == me.boot || (is_current(RUN_BY(n)) && !cancel_requested)) ->
#ifdef SELF_FENCING
    check(AT_MOST_ONE_HANDLER, nobody_runs);
    check(NO_START_AFTER_CANCEL, !cancelled[execution[RUN_BY(n)].account]);
#endif
    me.phase = STARTED }
#ifndef SELF_FENCING
  :: atomic { me.phase == CLAIMED && me.writing == IDLE && execution[RUN_BY(n)].boot != me.boot -> write(GIVE_BACK) }
#endif

  /* commit_effect, and the same with its answer lost: the handler fails then, and so does the write that follows */
  :: atomic { me.phase == STARTED ->
    commit_effect(RUN_BY(n));
    me.phase = IDLE;
    forget(RUN_BY(n)) }
  :: atomic { me.phase == STARTED && me.writing == IDLE && losses_left > 0 ->
    losses_left--;
    commit_effect(RUN_BY(n));
    write(FAIL) }

  /* fail */
  :: atomic { me.phase == STARTED && me.writing == IDLE && failures_left > 0 ->
    failures_left--;
    write(FAIL) }

  /* time_out: settled at once; the handler may go on */
  :: atomic { me.phase == STARTED && me.writing == IDLE && timeouts_left > 0 ->
    timeouts_left--;
#ifndef SELF_FENCING
    if
    :: !astray -> lead_astray()
    :: skip
    fi;
#endif
    write(FAIL) }

  /* obey: somebody has asked to cancel what this node holds */
  :: atomic { me.phase == CLAIMED && me.writing == IDLE && is_current(RUN_BY(n)) && cancel_requested -> write(GIVE_BACK) }
  :: atomic { me.phase == STARTED && me.writing == IDLE && is_current(RUN_BY(n)) && cancel_requested -> write(FAIL) }

  /* settle: sent again until it is acknowledged */
  :: atomic { me.writing != IDLE ->
    if
    :: me.writing == FAIL -> charge(ENDED(n))
    :: else -> give_back(ENDED(n))
    fi;
    if
    :: me.writing = IDLE;
      forget(ENDED(n))
    :: losses_left > 0 -> losses_left--
    fi }

  /* find_in_doubt, with the watch at its weakest: only what is held in the instant of the read counts as held */
#ifndef BUG_NO_RECONCILE
  :: atomic { !me.in_doubt && state == RUNNING && owner == me.boot && !holds_row(n) ->
    me.in_doubt = 1;
    execution[DOUBTED(n)].boot = owner;
    execution[DOUBTED(n)].has_fence = 1 }
  /* release */
  :: atomic { me.in_doubt ->
    give_back(DOUBTED(n));
    me.in_doubt = 0;
    forget(DOUBTED(n)) }
#endif

#ifdef SELF_FENCING
  /* fence: no good beat; what has not started goes back, what runs is aborted and goes back */
  :: atomic { is_awake(n) && !me.fenced && suspicions_left > 0 && me.phase != IDLE && me.writing == IDLE ->
    act(n);
    suspicions_left--;
    me.fenced = 1;
    write(GIVE_BACK) }
  :: atomic { is_awake(n) && !me.fenced && suspicions_left > 0 && me.phase == IDLE ->
    act(n);
    suspicions_left--;
    me.fenced = 1 }
  /* resume */
  :: atomic { me.fenced && !is_dead(me.boot) && me.writing == IDLE -> me.fenced = 0 }
#endif

  /* rejoin: it learns that it was declared dead; a handler may go on all the same, under the old boot id */
  :: atomic { is_dead(me.boot) && (me.phase != CLAIMED || me.writing == IDLE) ->
    me.boot = me.boot + NODES;
    if
    :: me.claim == FENCED -> me.claim = IDLE
    :: else
    fi;
    me.in_doubt = 0;
    forget(DOUBTED(n));
#ifdef SELF_FENCING
    me.fenced = 0
#else
    if
    :: me.phase == CLAIMED -> write(GIVE_BACK)
    :: me.phase == STARTED && !astray ->
      lead_astray();
      me.phase = IDLE;
      forget(RUN_BY(n))
    :: me.phase != CLAIMED
    fi
#endif
  }

  /* crash: memory is gone; a claim and a COMMIT may be on their way */
  :: atomic { is_awake(n) && crashes_left > 0 ->
    act(n);
    crashes_left--;
    if
    :: me.claim == SENT && me.orphan == NOBODY -> me.orphan = execution[CLAIMING(n)].boot
    :: else
    fi;
    if
    :: is_dead(me.boot)
    :: !is_dead(me.boot) && (owner == me.boot || me.orphan == me.boot) -> gone_boots = gone_boots | (1 << me.boot)
    :: else -> dead_boots = dead_boots | (1 << me.boot) /* nothing bears its name: nobody can tell when */
    fi;
    if
    :: me.phase == STARTED && !astray -> lead_astray()
    :: skip
    fi;
    me.boot = me.boot + NODES;
    stop_waiting_for_claim();
    me.phase = IDLE;
    forget(RUN_BY(n));
    me.writing = IDLE;
    forget(ENDED(n));
    me.in_doubt = 0;
    forget(DOUBTED(n));
#ifdef SELF_FENCING
    me.fenced = 0;
#endif
#ifdef BUG_LATE_REPLY
    me.has_late_reply = 0;
    forget(LATE(n));
#endif
  }
  od
}

/* A handler that nobody waits for ends in its own time: with its COMMIT, or without. */
proctype Stray() {
end:
  do
  :: atomic { astray ->
    commit_effect(STRAY);
    astray = 0;
    forget(STRAY) }
  :: atomic { astray ->
    astray = 0;
    forget(STRAY) }
  od
}

/* ── The others ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

#ifdef SELF_FENCING
#ifdef LATE_ANSWERS
#define suspect(n) (!is_dead(node[n].boot) && node[n].fenced)
#else
#define suspect(n) (!is_dead(node[n].boot) && node[n].fenced && node[n].claim != ANSWERED)
#endif
#define condemn(n) dead_boots = dead_boots | (1 << node[n].boot)
#else
#define suspect(n) (is_awake(n) && !is_dead(node[n].boot) && suspicions_left > 0)
#define condemn(n) act(n); suspicions_left--; dead_boots = dead_boots | (1 << node[n].boot)
#endif

/* Whoever leads, at this moment. */
proctype Leader() {
  byte n;
end:
  do
  /* declare_dead: a boot id whose process has ended */
  :: atomic { gone_boots != 0 ->
    n = 1;
    do
    :: !((gone_boots >> n) & 1) -> n++
    :: else -> break
    od;
    gone_boots = gone_boots & ~(1 << n);
    dead_boots = dead_boots | (1 << n);
    n = 0 }
  /* declare_dead: a node that goes on */
  :: atomic { suspect(0) -> condemn(0) }
  :: atomic { suspect(1) -> condemn(1) }
#if NODES == 3
  :: atomic { suspect(2) -> condemn(2) }
#endif
  /* reap */
  :: atomic { state == RUNNING && is_dead(owner) && cancel_requested -> end_cancelled() }
  :: atomic { state == RUNNING && is_dead(owner) && !cancel_requested ->
    crashes++;
    attempt--;
    if
    :: crashes >= MAX_CRASHES ->
      end_task(DEAD)
    :: else -> schedule_again()
    fi }
  od
}

/* The outside world. */
proctype Caller() {
  byte cancels_left = CANCELS;
  byte retries_left = RETRIES;
#ifdef BUG_READ_THEN_WRITE_CANCEL
  bit has_read = 0;
#endif
end:
  do
  /* commit_create */
  :: atomic { state == NONE ->
    state = SCHEDULED;
    publish() }
  /* cancel */
#ifdef BUG_READ_THEN_WRITE_CANCEL
  :: atomic { state == SCHEDULED && cancels_left > 0 ->
    cancels_left--;
    has_read = 1 }
  :: atomic { has_read ->
    has_read = 0;
    end_cancelled() }
#else
  :: atomic { state == SCHEDULED && cancels_left > 0 ->
    cancels_left--;
    end_cancelled() }
#endif
  :: atomic { state == RUNNING && !cancel_requested && cancels_left > 0 ->
    cancels_left--;
    cancel_requested = 1 }
  /* ask_retry */
  :: atomic { is_terminal && retries_left > 0 ->
    retries_left--;
    account = 1;
    schedule_again() }
  od
}

init {
  byte n;
  atomic {
    for (n : 0 .. NODES - 1) {
      node[n].boot = n + 1
    }
    for (n : 0 .. NODES - 1) {
      run Worker(n)
    }
    run Stray();
    run Leader();
    run Caller()
  }
}

#if ONLY == NOTHING_LOST
ltl nothing_lost { <> [] is_terminal }
#endif
