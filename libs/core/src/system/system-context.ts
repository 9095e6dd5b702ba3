import { AsyncResource } from "node:async_hooks";

/**
 * An asynchronous context, as `AsyncLocalStorage` sees it: the one in which this object was made. What a node does for
 * itself (its timers, loops, shared writes) runs in the context of its making, never in that of the caller who happened
 * to cause it; and each piece of foreign code (a handler, a listener) in a fork of it. So no request's context, nor a
 * transaction that somebody keeps in one, is met by anybody else's work.
 *
 * Nothing is switched on by it: a process that uses no `AsyncLocalStorage` pays for a small object and a call, a tenth
 * of a microsecond.
 *
 * @example
 * const home = new SystemContext(); // where the node is made
 * const result = await home.fork().run(() => handler(task));
 */
export class SystemContext extends AsyncResource {
  constructor() {
    super("Tickwheel", { requireManualDestroy: true });
  }

  /**
   * Calls `work` in this context, no matter where it is called. What it awaits goes on there, too; a caller that awaits
   * its answer goes on in his own. Before Node 24, what `work` itself enters by `enterWith` stays entered here: foreign
   * code belongs into a fork.
   */
  run<T>(work: () => T): T {
    return this.runInAsyncScope(work);
  }

  /** A context that begins as this one, and of which nothing comes back. */
  fork(): SystemContext {
    return this.runInAsyncScope(newContext);
  }
}

function newContext(): SystemContext {
  return new SystemContext();
}
