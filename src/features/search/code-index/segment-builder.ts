/** Builds a segment of documents in memory. */
import { type Doc, encodeDoc, encodeDocs, entry_bytes, header_bytes, maxEncoded_bytes, writeHeader } from './segment-format.ts'
import { grown, trigramCollector } from './trigrams.ts'

/** Collects documents; each gets the next number. */
export function segmentBuilder() {
  const collector = trigramCollector()
  const docs: Doc[] = []
  let trigrams = new Uint32Array(1 << 18)
  let owners = new Uint32Array(1 << 18)
  let size = 0
  let text_bytes = 0

  return {
    docs,
    get text_bytes() {
      return text_bytes
    },
    add(doc: Doc, content: Buffer): void {
      const found = collector.collect([content, Buffer.from(doc.path)])
      while (size + found.length > trigrams.length) [trigrams, owners] = [grown(trigrams), grown(owners)]
      trigrams.set(found, size)
      owners.fill(docs.length, size, size + found.length)
      size += found.length
      docs.push(doc)
      text_bytes += content.length
    },
    /** Returns the file. The builder must not be used afterwards. */
    finish(): Buffer {
      const sorted = sortedByTrigram(trigrams.subarray(0, size), owners.subarray(0, size))
      return assemble(docs, sorted.keys, sorted.values)
    },
  }
}

const digit = 4096

/** Stable: the documents of each trigram keep their order. */
function sortedByTrigram(keys: Uint32Array, values: Uint32Array): { keys: Uint32Array; values: Uint32Array } {
  let from = { keys, values }
  for (const shift of [0, 12]) {
    const starts = new Uint32Array(digit + 1)
    for (const key of from.keys) starts[((key >>> shift) & (digit - 1)) + 1] = (starts[((key >>> shift) & (digit - 1)) + 1] as number) + 1
    for (let index = 1; index <= digit; index += 1) starts[index] = (starts[index] as number) + (starts[index - 1] as number)
    const to = { keys: new Uint32Array(keys.length), values: new Uint32Array(keys.length) }
    for (let index = 0; index < keys.length; index += 1) {
      const key = from.keys[index] as number
      const place = (key >>> shift) & (digit - 1)
      const at = starts[place] as number
      starts[place] = at + 1
      to.keys[at] = key
      to.values[at] = from.values[index] as number
    }
    from = to
  }
  return from
}

function assemble(docs: Doc[], keys: Uint32Array, values: Uint32Array): Buffer {
  const postings = Buffer.allocUnsafe(maxEncoded_bytes(values.length))
  const dictionary: number[] = []
  let end = 0
  for (let start = 0; start < keys.length; ) {
    const trigram = keys[start] as number
    let next = start
    while (next < keys.length && keys[next] === trigram) next += 1
    dictionary.push(trigram, header_bytes + end)
    end = encodeDocs(values.subarray(start, next), postings, end)
    start = next
  }
  return Buffer.concat([...sectionsAfter(postings.subarray(0, end), dictionary, docs)])
}

function sectionsAfter(postings: Buffer, dictionary: number[], docs: Doc[]): Buffer[] {
  const entries = Buffer.from(Uint32Array.from(dictionary).buffer)
  const tail = encodeTail(docs, header_bytes + postings.length + entries.length)
  const header = writeHeader({
    docCount: docs.length,
    trigramCount: entries.length / entry_bytes,
    dictionary: header_bytes + postings.length,
    ...tail.places,
  })
  return [header, postings, entries, tail.bytes]
}

/** The documents and their offsets, which begin at this position in the file. */
export function encodeTail(docs: Doc[], at: number) {
  const encoded = docs.map(encodeDoc)
  const starts = new Uint32Array(docs.length + 1)
  let place = at
  for (const [index, bytes] of encoded.entries()) {
    starts[index] = place
    place += bytes.length
  }
  starts[docs.length] = place
  const bytes = Buffer.concat([...encoded, Buffer.from(starts.buffer)])
  return { bytes, places: { docs: at, docStarts: place, size: at + bytes.length } }
}
