import { expect, test } from "@jest/globals";
import { ConnectionCrowd } from "./connection-crowd.js";

interface Member {
  name: string;
  isBusy: boolean;
  hasKey: boolean;
}

function crowdOf(most: number, ...members: [name: string, state?: "busy" | "keyed" | "busy keyed"][]) {
  const crowd = new ConnectionCrowd<Member>(most);
  const byName = new Map<string, Member>();
  const enter = (name: string, state = ""): Member => {
    const member = { name, isBusy: state.startsWith("busy"), hasKey: state.endsWith("keyed") };
    byName.set(name, member);
    crowd.add(member);
    return member;
  };
  for (const [name, state] of members) enter(name, state);
  const change = (name: string, to: Partial<Member>): void => crowd.changed(Object.assign(byName.get(name)!, to));
  /** Who gives way to one more after the other. */
  const leavers = (count: number): (string | undefined)[] =>
    Array.from({ length: count }, (_, index) => {
      const newcomer = enter(`newcomer ${index}`, "busy keyed");
      const member = crowd.leastNeeded(newcomer);
      crowd.remove(member ?? newcomer);
      return member?.name;
    });
  return { crowd, byName, change, leavers };
}

test("idle connections without a key give way first, those with a key last, and a busy one with a key never", () => {
  const { leavers } = crowdOf(
    ...([5, ["a", "busy keyed"], ["b", "keyed"], ["c", "busy"], ["d"], ["e"]] as Parameters<typeof crowdOf>),
  );
  expect(leavers(6)).toEqual(["d", "e", "c", "b", undefined, undefined]);
});

test("the connection that has been idle for longest gives way", () => {
  const { change, leavers } = crowdOf(3, ["a"], ["b"], ["c"]);
  change("a", { isBusy: true });
  change("b", { isBusy: true });
  change("b", { isBusy: false });
  change("a", { isBusy: false });
  expect(leavers(3)).toEqual(["c", "b", "a"]);
});

test("a key that a connection shows counts from then on, without a word to the crowd", () => {
  const { byName, leavers } = crowdOf(3, ["a"], ["b", "busy"], ["c"]);
  byName.get("a")!.hasKey = true;
  byName.get("b")!.hasKey = true;
  expect(leavers(4)).toEqual(["c", "a", undefined, undefined]);
});

test("a crowd of connections is too large beyond its most, and no connection gives way to itself", () => {
  const { crowd, byName } = crowdOf(1, ["a"]);
  expect([crowd.isTooLarge, crowd.leastNeeded(byName.get("a")!)]).toEqual([false, undefined]);
  const second = { name: "b", isBusy: false, hasKey: false };
  crowd.add(second);
  expect([crowd.isTooLarge, crowd.leastNeeded(second)]).toEqual([true, byName.get("a")]);
  crowd.remove(byName.get("a")!);
  crowd.remove(second);
  expect(crowd.isEmpty).toBe(true);
});
