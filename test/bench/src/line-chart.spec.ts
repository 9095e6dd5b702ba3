import { expect, test } from "@jest/globals";
import { drawLineChart } from "./line-chart.js";

test("a line chart has a panel for each figure, with its greatest value on the scale", () => {
  const svg = drawLineChart({
    title: "a < b",
    notes: ["a machine"],
    panels: [
      {
        title: "size",
        points: [
          [0, 0],
          [30, 2_500],
          [60, 5_000],
        ],
      },
      { title: "nothing", points: [] },
    ],
  });
  expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  for (const text of ["a &lt; b", "a machine", ">size<", ">nothing<", ">5,000<", ">2,500<", ">60<"])
    expect(svg).toContain(text);
  expect(svg.match(/<polyline/g)).toHaveLength(2);
  expect(svg).not.toMatch(/NaN|Infinity/);
});
