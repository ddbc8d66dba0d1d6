/** Replaces secrets in a stream of bytes, also those that arrive in pieces. */

const mask = Buffer.from('[MASKED]')
/** Shorter values would be found in everything. */
const minSecret_chars = 4

export interface Masker {
  /** What is safe to show of all bytes so far; the rest may be the start of a secret. */
  add(chunk: Buffer): Buffer
  /** What was held back. */
  end(): Buffer
}

/** @param secrets texts that must not be shown; the longest of overlapping ones is replaced as a whole */
export function openMasker(secrets: string[]): Masker {
  // Bytes as characters from 0 to 255, so that expressions find them.
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

/** Up to where no secret can begin that goes on in the next bytes. A secret that is cut there is held back as a whole. */
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
