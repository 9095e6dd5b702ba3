import { expect, test } from "@jest/globals";
import { silenceNews } from "./silence-news.js";

const look = (term: number, ...suspects: string[]) => ({ term, suspects: new Set(suspects) });

test("a look tells which nodes fell silent and which recovered since the look before", () => {
  const news = silenceNews(look(1, "2", "3"), look(1, "3", "4"), ["2", "3", "4", "5"]);
  expect(news).toEqual({ silent: ["4"], recovered: ["2"] });
});

test("a node that is not present any more is told of no more", () => {
  expect(silenceNews(look(1, "2"), look(1, "3"), ["4"])).toEqual({ silent: [], recovered: [] });
});

test("the first look of a term tells of every present node", () => {
  const everybody = { silent: ["3"], recovered: ["2", "4"] };
  expect(silenceNews(null, look(1, "3"), ["2", "3", "4"])).toEqual(everybody);
  expect(silenceNews(look(1, "3"), look(2, "3"), ["2", "3", "4"])).toEqual(everybody);
});
