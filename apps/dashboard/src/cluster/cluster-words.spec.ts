import { describe, expect, test } from "@jest/globals";
import { deathOfC, eventOf, isoOf, nodeOf, t0 } from "../../test-support/cluster-events.js";
import { clusterSentence, leadsSince } from "./cluster-words.js";
import { eventWords } from "./event-words.js";
import { namesOf } from "../nodes/node-names.js";

const plain = { nameOf: namesOf({ nodes: [] }), actorName: String };

describe("the sentence of the cluster", () => {
  test("the sentence of the cluster tells nodes and slots", () => {
    const nodes = [nodeOf("a"), nodeOf("b"), nodeOf("c", { state: "dead", ownedSlots: 1_000 })];
    expect(clusterSentence({ nodes, slots: 4_096 })).toBe("2 of 3 nodes live, which share all 4,096 slots.");
    const one = [nodeOf("a", { state: "suspect" })];
    expect(clusterSentence({ nodes: one, slots: 4_096 })).toBe("0 of 1 node live: no slot has a live owner.");
  });

  test("the sentence of the cluster tells since when the leader leads, if an event of its own term does", () => {
    const events = deathOfC();
    expect(leadsSince({ leader: { node: "b", bootId: "boot-b", term: 9 } }, events)).toBe(isoOf(15.6));
    expect(leadsSince({ leader: { node: "b", bootId: "boot-b", term: 10 } }, events)).toBeNull();
    expect(leadsSince({ leader: null }, events)).toBeNull();
  });
});

describe("an event in words", () => {
  test("a death, its silence and its takeover are told in words", () => {
    const texts = deathOfC().map((event) => eventWords(event, plain));
    expect(texts.map(({ text }) => text)).toEqual([
      "5 running tasks of c taken back",
      "b took over 683 slots of c, loaded in 850 ms",
      "a took over 683 slots of c, loaded in 900 ms",
      "b leads",
      "c declared dead after 7 missed beats; it led",
      "c is suspect after 3 missed beats",
    ]);
    expect(texts[4]!.note).toBe("it was the last one with x");
    expect(texts[3]!.note).toBe("term 9, after c");
  });

  test("a drain is told in words", () => {
    const event = eventOf("DRAINED", { atS: 1, label: "a", facts: { lastedMs: 20_000, givenBack: 0 } });
    expect(eventWords(event, plain)).toMatchObject({ text: "a drained in 20 s", note: "no task given back" });
  });

  test("a change of the settings is told in words", () => {
    const told = { actor: "ann", timeline: 1, number: 7, namespace: "shop" };
    const words = ([of, change, type]: ["NAMESPACE" | "TYPE" | "KEY", "PAUSED" | "RESUMED" | "SET", string | null]) =>
      eventWords(eventOf("SETTINGS_CHANGED", { atS: 1, label: null, facts: { ...told, of, change, type } }), plain);
    expect(words(["NAMESPACE", "PAUSED", null])).toMatchObject({ text: "Namespace shop paused by ann", note: "" });
    expect(words(["TYPE", "SET", "mail"])).toMatchObject({ text: "Type mail set by ann", note: "namespace shop" });
    const noteOf = (values: object): string => {
      const facts = { ...told, of: "TYPE", change: "SET", type: "mail", values } as const;
      return eventWords(eventOf("SETTINGS_CHANGED", { atS: 1, label: null, facts }), plain).note;
    };
    const rate = { count: 100, perMs: 1_000, burst: 20 };
    expect(noteOf({ maxRunning: 5, rate })).toBe("at most 5 at once, 100 in 1 s start, namespace shop");
    expect(noteOf({ maxRunning: null, rate: null, keepSucceededMs: 0 })).toBe(
      "no limit at once, no limit of starts, succeeded kept not at all, namespace shop",
    );
    expect(words(["KEY", "RESUMED", "mail"]).text).toBe("A key of type mail resumed by ann");
  });

  test("the words of a breaker tell by what it opened, and who or what closed it", () => {
    const told = { namespace: "shop", type: "mail" };
    const openedAt = t0 + 1_000;
    const opened = eventOf("BREAKER_OPENED", { atS: 1, label: "a", facts: { ...told, forMs: 60_000 } });
    expect(eventWords(opened, plain)).toMatchObject({
      text: "The breaker of mail opened for 1 min",
      note: "its attempts fail on a, namespace shop",
    });
    const closed = (label: string | null, actor: string | null) =>
      eventWords(eventOf("BREAKER_CLOSED", { atS: 76, label, facts: { ...told, openedAt, actor } }), plain);
    expect(closed("b", null)).toMatchObject({
      text: "The breaker of mail closed",
      note: "a trial on b succeeded, it was open for 1 min 15 s, namespace shop",
    });
    expect(closed(null, "key:7")).toMatchObject({
      text: "The breaker of mail closed by key:7",
      note: "it was open for 1 min 15 s, namespace shop",
    });
  });

  test("an event of a kind that the page does not know is told in words", () => {
    const event = { ...eventOf("DRAINING", { atS: 1, label: "a", facts: {} }), kind: "MOVED" } as never;
    expect(eventWords(event, plain).text).toBe("moved");
  });
});
