/** Refs in `only` and `except`: `main`, `/^v/i`, `branches@group/project`. */
import type { Patterns } from './patterns.ts'

const pattern = /^(\/.+\/[ismU]*)(?:@(.+))?$/s

/** The name or pattern, and the project it applies to; null for any project. */
export function splitRefPattern(text: string): { ref: string; project: string | null } {
  const [, ref, project] = pattern.exec(text) ?? []
  if (ref !== undefined) return { ref, project: project ?? null }
  const at = text.indexOf('@')
  return at < 0 ? { ref: text, project: null } : { ref: text.slice(0, at), project: text.slice(at + 1) }
}

/** Whether a pattern in slashes is valid RE2. Names are always valid. */
export function isRefPattern(text: string, patterns: Patterns): boolean {
  const { ref } = splitRefPattern(text)
  return !/^\/.+\/[ismU]*$/s.test(ref) || patterns.accepts(ref)
}
