/** How to read the outlines. A text that is part of what a provider caches, so it never depends on anything. */
export const LEGEND = [
  "Below each path stands what the file defines: one line for a definition, as the source has it, up to its body.",
  "A line that is indented belongs to the line above that is indented less. A long line ends in …, bodies are left out.",
  "[no outline: …] says why a file has none, [n more] how many definitions are left out.",
].join("\n");
