/** Conditional and range requests of RFC 9110, as pure functions over headers. */

/** The bytes from `start` to `end`, both inclusive. */
export interface Part {
  start: number
  end: number
}

/** Whether `If-None-Match` contains this entity tag, or any (`*`). Weak and strong tags are compared alike. */
export function hasAlready(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const tags: string[] = ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => opaque(tag) === opaque(etag))
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '')
}

/** The part requested by `Range`: `whole` if there is none, several, or a malformed one; `none` if it is outside of `size` bytes. */
export function partOf(range: string | undefined, size: number): Part | 'whole' | 'none' {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole'
  if (first === '') {
    const length = Number(last)
    if (length === 0) return 'none'
    return size === 0 ? 'whole' : { start: Math.max(size - length, 0), end: size - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'whole'
  if (start >= size) return 'none'
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}

/** Whether a range applies: always without `If-Range`, otherwise only for the same strong tag. */
export function rangeCounts(ifRange: string | undefined, etag: string | undefined): boolean {
  return ifRange === undefined || (etag !== undefined && !etag.startsWith('W/') && ifRange.trim() === etag)
}
