/** Replaces secrets in a stream of bytes, including those split between chunks. */

const mask = Buffer.from('[MASKED]')
/** Shorter values would match everywhere. */
const minSecret_chars = 4

export interface Masker {
  /** The bytes that are safe to show; the rest may be the beginning of a secret. */
  add(chunk: Buffer): Buffer
  /** The bytes that were held back. */
  end(): Buffer
}

/** @param secrets texts to hide; of overlapping ones the longest is replaced as a whole */
export function openMasker(secrets: string[]): Masker {
  // Bytes as characters from 0 to 255, for regular expressions.
  const known = [...new Set(secrets)].filter(({ length }) => length >= minSecret_chars)
  const wanted = known.map((secret) => Buffer.from(secret).toString('latin1')).sort((a, b) => b.length - a.length)
  if (wanted.length === 0) return { add: (chunk) => chunk, end: () => Buffer.alloc(0) }
  const pattern = new RegExp(wanted.map((secret) => secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g')
  const replace = (text: string) => Buffer.from(text.replace(pattern, mask.toString('latin1')), 'latin1')
  const longest = wanted[0]?.length ?? 0
  let held = ''
  return {
    add(chunk) {
      const text = held + chunk.toString('latin1')
      const end = safeEnd(text, { wanted, pattern, longest })
      held = text.slice(end)
      return replace(text.slice(0, end))
    },
    end() {
      const rest = replace(held)
      held = ''
      return rest
    },
  }
}

interface Known {
  wanted: string[]
  pattern: RegExp
  longest: number
}

/**
 * The end of what is safe: no secret can begin before it and continue in the next bytes. A secret that would be cut there is held back
 * completely.
 */
function safeEnd(text: string, { wanted, pattern, longest }: Known): number {
  let end = text.length
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
    const tail = text.slice(at)
    if (wanted.some((secret) => secret.length > tail.length && secret.startsWith(tail))) {
      end = at
      break
    }
  }
  for (const match of text.matchAll(pattern)) {
    if (match.index >= end) break
    if (match.index + match[0].length > end) return match.index
  }
  return end
}
