/** Whether a sentence asks. */
export function isQuestion(text: string): boolean {
  return text.endsWith("?") || text.endsWith("？") || text.endsWith("؟");
}
