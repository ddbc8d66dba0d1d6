/** Validates paths inside a tree, as sent by users. */

const longestPath = 4_096
/** No file system supports longer names. */
const longestFile_bytes = 255

/** The parts of a path inside a tree; null if git can't have such a path. `''` and `/` are the root. */
export function pathParts(path: string): string[] | null {
  if (path.length > longestPath || path.includes('\0')) return null
  const all = path.split('/')
  const parts = all.slice(all.findIndex(isNotEmpty), all.findLastIndex(isNotEmpty) + 1)
  return parts.some((part) => part === '' || part === '.' || part === '..') ? null : parts
}

function isNotEmpty(text: string): boolean {
  return text !== ''
}

/**
 * Matches names that some file system treats as `.git`: in any case, shortened or decorated as on NTFS, with characters that HFS+ ignores.
 */
const dotGit = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * Whether a file may be written at this path without danger to those who check it out. Rejected are empty parts, `.` and `..`, `.git` in
 * any form, control characters, a backslash (a separator on some systems) before such a part, and names too long for a file.
 */
export function isWritablePath(path: string): boolean {
  const parts = pathParts(path)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this rejects
  if (!parts || parts.length === 0 || /[\x00-\x1f\x7f]/.test(path) || !isWellFormed(path)) return false
  if (Buffer.byteLength(path) >= longestPath || parts.some((part) => Buffer.byteLength(part) > longestFile_bytes)) return false
  const seenElsewhere = parts.flatMap((part) => part.replace(ignoredByHfs, '').split('\\'))
  return !seenElsewhere.some((part) => dotGit.test(part) || part === '..')
}

/** Whether the text survives encoding as UTF-8: an unpaired surrogate would become another character. */
export function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}
