/**
 * The file format of a segment of the index: a header, the documents of each trigram, the dictionary of trigrams, the documents, and their
 * offsets. Numbers are little-endian. A file is never changed.
 */

/** A file of a repository in the index. */
export interface Doc {
  path: string
  /** Blob id. */
  oid: string
}

/** Offsets of the sections of a file. */
export interface Sections {
  docCount: number
  trigramCount: number
  dictionary: number
  docs: number
  docStarts: number
  size: number
}

export const header_bytes = 40
/** A trigram and the offset of its documents, which end at the offset of the next entry. */
export const entry_bytes = 8

const magic = 'GSCODE01'

export function writeHeader({ docCount, trigramCount, dictionary, docs, docStarts, size }: Sections): Buffer {
  const header = Buffer.alloc(header_bytes)
  header.write(magic, 'latin1')
  for (const [index, value] of [docCount, trigramCount, dictionary, docs, docStarts, size].entries())
    header.writeUInt32LE(value, 8 + 4 * index)
  return header
}

/** Null if it isn't a segment of this version. */
export function readHeader(header: Buffer): Sections | null {
  if (header.length < header_bytes || header.toString('latin1', 0, 8) !== magic) return null
  const [docCount = 0, trigramCount = 0, dictionary = 0, docs = 0, docStarts = 0, size = 0] = [0, 1, 2, 3, 4, 5].map((index) =>
    header.readUInt32LE(8 + 4 * index),
  )
  return { docCount, trigramCount, dictionary, docs, docStarts, size }
}

/** The length of the id, the id as bytes, then the path. */
export function encodeDoc({ path, oid }: Doc): Buffer {
  const id = Buffer.from(oid, 'hex')
  return Buffer.concat([Buffer.from([id.length]), id, Buffer.from(path)])
}

export function decodeDoc(bytes: Buffer): Doc {
  const length = bytes[0] ?? 0
  return { oid: bytes.toString('hex', 1, 1 + length), path: bytes.toString('utf8', 1 + length) }
}

/** Encodes ascending numbers as differences, with seven bits per byte. */
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

/** The maximum size of this many encoded numbers. */
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
