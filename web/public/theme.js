// Runs before the page is drawn, so that the wrong theme does not flash.
try {
  const theme = localStorage.getItem("palimpsest-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme applies.
}
