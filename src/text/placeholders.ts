/** Templates of users in which `%{name}` stands for values: truncated while they are filled in, so that none grows without limit. */

/** Values by name, each computed when it is first needed. Only own properties count: `%{__proto__}` is not a placeholder. */
export type PlaceholderValues = Record<string, () => string>

const mention = /%\{(\w+)\}/g

/** Fills in texts up to this total number of characters. Unknown placeholders are left as written. */
export function placeholderFiller(values: PlaceholderValues, max_chars: number): (text: string) => string {
  const known = new Map<string, string>()
  let left = max_chars

  function lookUp(name: string): string | null {
    if (!Object.hasOwn(values, name)) return null
    const value = known.get(name) ?? values[name]?.() ?? ''
    known.set(name, value)
    return value
  }

  return (text) => {
    let filled = ''
    const add = (piece: string) => {
      const kept = piece.slice(0, left)
      left -= kept.length
      filled += kept
    }
    let at = 0
    for (const match of text.matchAll(mention)) {
      if (left === 0) return filled
      add(text.slice(at, match.index))
      add(lookUp(match[1] ?? '') ?? match[0])
      at = match.index + match[0].length
    }
    add(text.slice(at))
    return filled
  }
}
