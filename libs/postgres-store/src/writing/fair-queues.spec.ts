import { describe, expect, test } from "@jest/globals";
import { FairQueues } from "./fair-queues.js";

const LIMITS = { total: 8, perNamespace: 6, perName: 4 };
const at = (name: string, namespace = "one") => ({ namespace, name });

/** Takes turns, each of which serves the first item of its queue. Answers the served items in order. */
function serve(queues: FairQueues<string>, turns: number): (string | undefined)[] {
  return Array.from({ length: turns }, () => {
    const queue = queues.take();
    const item = queue?.items[0];
    if (queue && item !== undefined) queues.remove(queue, item);
    if (queue) queues.giveBack(queue);
    return item;
  });
}

describe("fair queues", () => {
  test("fair queues serve the names in turn, and each name's items in the order of their arrival", () => {
    const queues = new FairQueues<string>(LIMITS);
    for (const item of ["a1", "a2", "a3", "b1", "c1"]) queues.add(at(item[0]!), item);
    expect(serve(queues, 6)).toEqual(["a1", "b1", "c1", "a2", "a3", undefined]);
    expect(queues.count).toBe(0);
  });

  test("fair queues serve the namespaces in turn, however many names one of the namespaces has", () => {
    const queues = new FairQueues<string>(LIMITS);
    for (const item of ["a", "b", "c", "d"]) queues.add(at(item), item);
    queues.add(at("z", "other"), "z");
    expect(serve(queues, 5)).toEqual(["a", "z", "b", "c", "d"]);
  });

  test("fair queues hand out a queue only once at a time", () => {
    const queues = new FairQueues<string>(LIMITS);
    queues.add(at("a"), "a1");
    queues.add(at("a"), "a2");
    const queue = queues.take()!;
    expect(queues.take()).toBeNull();
    queues.giveBack(queue);
    expect(queues.take()).toBe(queue);
  });

  test("fair queues keep a taken queue until it is given back, even if it is empty", () => {
    const queues = new FairQueues<string>(LIMITS);
    queues.add(at("a"), "a1");
    const queue = queues.take()!;
    queues.remove(queue, "a1");
    expect(queues.has(at("a"))).toBe(true);
    expect(queues.add(at("a"), "a2")).toBe(queue);
    queues.giveBack(queue);
    expect(queues.all()).toEqual(["a2"]);
  });

  test("fair queues tell which limit one more item would exceed: that of the name, of the namespace or the total", () => {
    const queues = new FairQueues<string>(LIMITS);
    for (const item of ["a1", "a2", "a3", "a4"]) queues.add(at("a"), item);
    expect([queues.fullness(at("a")), queues.fullness(at("b"))]).toEqual(["perName", null]);
    queues.add(at("b"), "b1");
    queues.add(at("c"), "c1");
    expect([queues.fullness(at("d")), queues.fullness(at("d", "other"))]).toEqual(["perNamespace", null]);
    queues.add(at("d", "other"), "d1");
    queues.add(at("e", "other"), "e1");
    expect(queues.fullness(at("f", "third"))).toBe("total");
  });
});
