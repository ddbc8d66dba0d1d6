/**
 * A segment of the index as a file: a header, then for each trigram the documents that have it, the dictionary of trigrams, the documents
 * and where each of them begins. Numbers are little-endian. A file is never changed.
 */

/** A file of a repository, as it is in the index. */
export interface Doc {
  path: string
  /** Of its blob. */
  oid: string
}

/** Where the sections of a file begin. */
export interface Sections {
  docCount: number
  trigramCount: number
  dictionary: number
  docs: number
  docStarts: number
  size: number
}

export const header_bytes = 40
/** A trigram, and where its documents begin. Those of one end where those of the next begin. */
export const entry_bytes = 8

const magic = 'GSCODE01'

export function writeHeader({ docCount, trigramCount, dictionary, docs, docStarts, size }: Sections): Buffer {
  const header = Buffer.alloc(header_bytes)
  header.write(magic, 'latin1')
  for (const [index, value] of [docCount, trigramCount, dictionary, docs, docStarts, size].entries())
    header.writeUInt32LE(value, 8 + 4 * index)
  return header
}

/** Null for what is no segment of this version. */
export function readHeader(header: Buffer): Sections | null {
  if (header.length < header_bytes || header.toString('latin1', 0, 8) !== magic) return null
  const [docCount = 0, trigramCount = 0, dictionary = 0, docs = 0, docStarts = 0, size = 0] = [0, 1, 2, 3, 4, 5].map((index) =>
    header.readUInt32LE(8 + 4 * index),
  )
  return { docCount, trigramCount, dictionary, docs, docStarts, size }
}

/** The id as bytes behind their number, then the path. */
export function encodeDoc({ path, oid }: Doc): Buffer {
  const id = Buffer.from(oid, 'hex')
  return Buffer.concat([Buffer.from([id.length]), id, Buffer.from(path)])
}

export function decodeDoc(bytes: Buffer): Doc {
  const length = bytes[0] ?? 0
  return { oid: bytes.toString('hex', 1, 1 + length), path: bytes.toString('utf8', 1 + length) }
}

/** Writes ascending numbers as differences, seven bits to a byte. */
export function encodeDocs(docs: ArrayLike<number>, into: Uint8Array, at: number): number {
  let before = 0
  let next = at
  for (let index = 0; index < docs.length; index += 1) {
    let rest = (docs[index] as number) - before
    before = docs[index] as number
    while (rest > 127) {
      into[next] = (rest & 127) | 128
      next += 1
      rest >>>= 7
    }
    into[next] = rest
    next += 1
  }
  return next
}

/** The most bytes that so many numbers take. */
export const maxEncoded_bytes = (count: number) => 5 * count

export function decodeDocs(bytes: Uint8Array): Uint32Array {
  const docs = new Uint32Array(bytes.length)
  let [count, before, value, shift] = [0, 0, 0, 0]
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    value |= (byte & 127) << shift
    shift += 7
    if (byte > 127) continue
    before += value
    docs[count] = before
    count += 1
    value = 0
    shift = 0
  }
  return docs.subarray(0, count)
}
