import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url";

const latin =
  "U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329, U+2000-206F, " +
  "U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD";

/** Loads the page's face once the page is painted: until then, and where it cannot be had, the system's stands in. */
export async function loadInter(): Promise<void> {
  const face = new FontFace("Inter Variable", `url(${JSON.stringify(inter)})`, {
    weight: "100 900",
    display: "swap",
    unicodeRange: latin,
  });
  document.fonts.add(face);
  await face.load().catch(() => undefined);
}
