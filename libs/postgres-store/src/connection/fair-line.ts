/** Whose turn it is: a namespace, and within it a caller. */
export interface LinePlace {
  namespace: string;
  /** Default: the namespace's one caller without a name. */
  caller?: string;
}

/**
 * Those who wait, served in turns of two levels: one namespace after the other, within a namespace one caller after the
 * other, and those of a caller in the order of their arrival. So nobody waits for all that another namespace, or
 * another caller of the same one, has sent. Taking the next one costs the same, however many wait.
 */
export class FairLine<Item> {
  /** In the order of their turns, on both levels; none is empty. */
  private readonly namespaces = new Map<string, Map<string, Item[]>>();

  add({ namespace, caller = "" }: LinePlace, item: Item): void {
    let callers = this.namespaces.get(namespace);
    if (!callers) this.namespaces.set(namespace, (callers = new Map()));
    const items = callers.get(caller);
    if (items) items.push(item);
    else callers.set(caller, [item]);
  }

  remove({ namespace, caller = "" }: LinePlace, item: Item): void {
    const callers = this.namespaces.get(namespace);
    const items = callers?.get(caller);
    if (!callers || !items) return;
    const place = items.indexOf(item);
    if (place >= 0) items.splice(place, 1);
    if (items.length === 0) callers.delete(caller);
    if (callers.size === 0) this.namespaces.delete(namespace);
  }

  /** The next one, which waits no more; undefined: nobody waits. */
  take(): Item | undefined {
    for (const [namespace, callers] of this.namespaces)
      for (const [caller, items] of callers) {
        const item = items.shift();
        endTurn(callers, caller, items.length > 0);
        endTurn(this.namespaces, namespace, callers.size > 0);
        return item;
      }
    return undefined;
  }
}

/** The next turn comes after those of all others. */
function endTurn<Queue>(queues: Map<string, Queue>, name: string, isWaiting: boolean): void {
  const queue = queues.get(name)!;
  queues.delete(name);
  if (isWaiting) queues.set(name, queue);
}
