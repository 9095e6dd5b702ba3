import { nextOf, remembered } from "../memory/remembered.js";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** `system` follows the reader's own setting. `theme.js` reads the same choice before the first paint. */
export const theme = remembered<Theme>("theme", themes);

theme.subscribe((chosen) => {
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
});

export function switchTheme(): void {
  theme.value = nextOf<Theme>(themes, theme.value);
}

export const themeIcons: Readonly<Record<Theme, string>> = { system: "system", light: "sun", dark: "moon" };
