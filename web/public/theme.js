// Runs before anything is drawn, so that a theme somebody chose never flashes in the other one.
try {
  const theme = localStorage.getItem("palimpsest-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage can be forbidden; then the system's theme holds.
}
