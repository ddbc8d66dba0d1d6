/** What may be called a ref, a revision or a path: the only judge of names that users send. */

const longest = 1_024

/** The rules of git-check-ref-format, for a branch or tag name without its `refs/…/`. */
export function isRefName(name: string): boolean {
  if (name === '' || name.length > longest || name === '@') return false
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are just what git refuses
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.$|\/$|^\/|^-/.test(name)) return false
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
}

/** A ref name or an object id, maybe followed by `^`, `^2` or `~3`. */
export function isRevision(text: string): boolean {
  return text.length <= longest && isRefName(text.replace(/(?:\^\d{0,2}|~\d{0,4})+$/, ''))
}

export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/** The parts of a path inside a tree, or null when git could have no such path. `''` and `/` are the root. */
export function pathParts(path: string): string[] | null {
  const parts = path.replace(/^\/+|\/+$/g, '').split('/')
  if (parts.length === 1 && parts[0] === '') return []
  if (path.length > 4_096 || path.includes('\0')) return null
  return parts.some((part) => part === '' || part === '.' || part === '..') ? null : parts
}
