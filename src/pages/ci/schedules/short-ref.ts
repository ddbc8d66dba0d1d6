/** Refs as forms and lists of schedules show them. */

/** Without `refs/heads/` or `refs/tags/`, and which of them it is. */
export function shortRef(ref: string): { ref: string; tag: boolean } {
  return { ref: ref.replace(/^refs\/(heads|tags)\//, ''), tag: ref.startsWith('refs/tags/') }
}
