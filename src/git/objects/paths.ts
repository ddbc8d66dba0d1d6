/** Valid paths inside a tree: whatever users send is validated here. */

const longestPath = 4_096
/** No file system has longer names. */
const longestFile_bytes = 255

/** The parts of a path inside a tree, or null when git could have no such path. `''` and `/` are the root. */
export function pathParts(path: string): string[] | null {
  if (path.length > longestPath || path.includes('\0')) return null
  const all = path.split('/')
  const parts = all.slice(all.findIndex(isNotEmpty), all.findLastIndex(isNotEmpty) + 1)
  return parts.some((part) => part === '' || part === '.' || part === '..') ? null : parts
}

function isNotEmpty(text: string): boolean {
  return text !== ''
}

/** Matches names that some file system takes for `.git`: in any case, as NTFS shortens or decorates it, with what HFS+ ignores. */
const dotGit = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * Whether a file may be written at this path: what no checkout of it can turn against its owner. No empty part, `.` or
 * `..`, nothing that is `.git` anywhere, no control characters, no backslash (a slash elsewhere) before such a part, and
 * nothing too long to be a file.
 */
export function isWritablePath(path: string): boolean {
  const parts = pathParts(path)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (!parts || parts.length === 0 || /[\x00-\x1f\x7f]/.test(path) || !isWellFormed(path)) return false
  if (Buffer.byteLength(path) >= longestPath || parts.some((part) => Buffer.byteLength(part) > longestFile_bytes)) return false
  const seenElsewhere = parts.flatMap((part) => part.replace(ignoredByHfs, '').split('\\'))
  return !seenElsewhere.some((part) => dotGit.test(part) || part === '..')
}

/** Whether it means the same once it is written as UTF-8: half of a surrogate pair becomes another character. */
export function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}
