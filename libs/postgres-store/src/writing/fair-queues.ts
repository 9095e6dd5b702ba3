/** Names a queue: a name within a namespace. */
export interface QueueName {
  namespace: string;
  name: string;
}

export interface QueueLimits {
  total: number;
  perNamespace: number;
  perName: number;
}

/** The items that wait under one name, in the order of their arrival. */
export interface NamedQueue<Item> extends QueueName {
  readonly items: Item[];
  isTaken: boolean;
}

interface Namespace<Item> {
  /** In the order of their turns. */
  readonly queues: Map<string, NamedQueue<Item>>;
  length: number;
}

/**
 * A queue for each name, served in turn: one namespace after the other, and within a namespace one name after the
 * other. So an item waits for the earlier items of its own name and for one turn of each other name, never for all
 * items of the other names.
 *
 * A queue that is taken is not handed out again until it is given back. The number of items is bounded in total, for
 * each namespace and for each name.
 */
export class FairQueues<Item> {
  private readonly namespaces = new Map<string, Namespace<Item>>();
  private length = 0;
  private queueCount = 0;

  constructor(private readonly limits: QueueLimits) {}

  /** The number of names for which items wait. */
  get count(): number {
    return this.queueCount;
  }

  has({ namespace, name }: QueueName): boolean {
    return this.namespaces.get(namespace)?.queues.has(name) ?? false;
  }

  /** The limit that one more item would exceed; null: there is room. */
  fullness({ namespace, name }: QueueName): keyof QueueLimits | null {
    const { total, perNamespace, perName } = this.limits;
    const group = this.namespaces.get(namespace);
    if (this.length >= total) return "total";
    if ((group?.length ?? 0) >= perNamespace) return "perNamespace";
    return (group?.queues.get(name)?.items.length ?? 0) >= perName ? "perName" : null;
  }

  add({ namespace, name }: QueueName, item: Item): NamedQueue<Item> {
    let group = this.namespaces.get(namespace);
    if (!group) this.namespaces.set(namespace, (group = { queues: new Map(), length: 0 }));
    let queue = group.queues.get(name);
    if (!queue) {
      group.queues.set(name, (queue = { namespace, name, items: [], isTaken: false }));
      this.queueCount++;
    }
    queue.items.push(item);
    group.length++;
    this.length++;
    return queue;
  }

  remove(queue: NamedQueue<Item>, item: Item): void {
    const place = queue.items.indexOf(item);
    if (place < 0) return;
    queue.items.splice(place, 1);
    this.length--;
    this.namespaces.get(queue.namespace)!.length--;
    this.forgetIfEmpty(queue);
  }

  /**
   * Takes the queue whose turn it is, until it is given back; null: no queue waits. Its next turn comes after the turns
   * of all others.
   */
  take(): NamedQueue<Item> | null {
    for (const [namespace, group] of this.namespaces) {
      for (const [name, queue] of group.queues) {
        if (queue.isTaken) continue;
        queue.isTaken = true;
        moveToEnd(group.queues, name);
        moveToEnd(this.namespaces, namespace);
        return queue;
      }
    }
    return null;
  }

  giveBack(queue: NamedQueue<Item>): void {
    queue.isTaken = false;
    this.forgetIfEmpty(queue);
  }

  /** All waiting items. */
  all(): Item[] {
    return [...this.namespaces.values()].flatMap(({ queues }) => [...queues.values()].flatMap(({ items }) => items));
  }

  private forgetIfEmpty({ namespace, name, items, isTaken }: NamedQueue<Item>): void {
    if (items.length > 0 || isTaken) return;
    const group = this.namespaces.get(namespace);
    if (!group?.queues.delete(name)) return;
    this.queueCount--;
    if (group.queues.size === 0) this.namespaces.delete(namespace);
  }
}

function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key)!;
  map.delete(key);
  map.set(key, value);
}
