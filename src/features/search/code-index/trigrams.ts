/** Trigrams: all sequences of three bytes in a text, ignoring case, of which the index is made. */
import { foldCase } from '../../../db/fold-case.ts'
import { textOf } from '../../../git/objects/text-of.ts'

const newline = 10
const mask = 0xffffff

/** Lower case for ASCII letters. */
const lowered = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte))

/** Collects the trigrams of one text after another in a set of 2 MiB, which is reused. */
export function trigramCollector() {
  const seen = new Uint8Array(1 << 21)
  let list = new Uint32Array(1 << 16)
  let size = 0

  const add = (bytes: Uint8Array) => {
    let trigram = 0
    let length = 0
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = lowered[bytes[at] as number] as number
      // Searches don't match across lines.
      length = byte === newline ? 0 : length + 1
      trigram = ((trigram << 8) | byte) & mask
      if (length < 3) continue
      const [index, bit] = [trigram >> 3, 1 << (trigram & 7)]
      if (((seen[index] as number) & bit) !== 0) continue
      seen[index] = (seen[index] as number) | bit
      if (size === list.length) list = grown(list)
      list[size] = trigram
      size += 1
    }
  }
  return {
    /** The distinct trigrams of all these texts together, unordered; valid until the next call. */
    collect(texts: Buffer[]): Uint32Array {
      for (let index = 0; index < size; index += 1) seen[(list[index] as number) >> 3] = 0
      size = 0
      for (const text of texts) add(isAscii(text) ? text : Buffer.from(foldCase(textOf(text))))
      return list.subarray(0, size)
    },
  }
}

function isAscii(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += 1) if ((bytes[at] as number) > 127) return false
  return true
}

export function grown(list: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * list.length)
  larger.set(list)
  return larger
}
