// Before the first paint, so that who has chosen light or dark never sees the other.
try {
  const theme = localStorage.getItem("tickwheel-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing follows the system.
}
