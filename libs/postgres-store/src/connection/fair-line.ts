/**
 * Those who wait, served one namespace after the other, and within a namespace in the order of their arrival. So nobody
 * waits for all that another namespace has sent.
 */
export class FairLine<Item> {
  /** In the order of their turns; none is empty. */
  private readonly namespaces = new Map<string, Item[]>();

  add(namespace: string, item: Item): void {
    const items = this.namespaces.get(namespace);
    if (items) items.push(item);
    else this.namespaces.set(namespace, [item]);
  }

  remove(namespace: string, item: Item): void {
    const items = this.namespaces.get(namespace) ?? [];
    const place = items.indexOf(item);
    if (place >= 0) items.splice(place, 1);
    if (items.length === 0) this.namespaces.delete(namespace);
  }

  /** The next one, which waits no more; undefined: nobody waits. */
  take(): Item | undefined {
    for (const [namespace, items] of this.namespaces) {
      const item = items.shift();
      this.namespaces.delete(namespace);
      if (items.length > 0) this.namespaces.set(namespace, items);
      return item;
    }
    return undefined;
  }
}
