/** Refs as the forms and lists of schedules show them. */

/** The name without `refs/heads/` or `refs/tags/`, and whether it is a tag. */
export function shortRef(ref: string): { ref: string; tag: boolean } {
  return { ref: ref.replace(/^refs\/(heads|tags)\//, ''), tag: ref.startsWith('refs/tags/') }
}
