/** Reads a segment: only the parts of its file that a search needs. */
import { close, open, read as readAt } from 'node:fs'
import { promisify } from 'node:util'
import { type Doc, decodeDoc, decodeDocs, entry_bytes, header_bytes, readHeader, type Sections } from './segment-format.ts'

const [openFile, readFile, closeFile] = [promisify(open), promisify(readAt), promisify(close)]

/** The documents of a trigram in the file. */
export interface Posting {
  start: number
  length: number
}

export interface Segment {
  docCount: number
  /** For what follows all. */
  sections: Sections
  find: (trigram: number) => Promise<Posting | null>
  docsOf: (posting: Posting) => Promise<Uint32Array>
  /** The documents with these numbers, in this order. */
  readDocs: (numbers: number[]) => Promise<Doc[]>
  read: (start: number, length: number) => Promise<Buffer>
  close: () => Promise<void>
}

/** Distance of the dictionary entries that are kept in memory. */
const step = 128

/** Throws if the file is missing or isn't a segment. */
export async function openSegment(file: string): Promise<Segment> {
  const fd = await openFile(file, 'r')
  const read = async (start: number, length: number) => {
    const bytes = Buffer.allocUnsafe(length)
    const { bytesRead } = await readFile(fd, bytes, 0, length, start)
    if (bytesRead !== length) throw new Error(`${file} is cut off`)
    return bytes
  }
  try {
    const sections = readHeader(await read(0, header_bytes))
    if (!sections) throw new Error(`${file} is no segment`)
    const landmarks = await readLandmarks(sections, read)
    return {
      docCount: sections.docCount,
      sections,
      find: (trigram) => findIn(sections, landmarks, read, trigram),
      docsOf: async ({ start, length }) => decodeDocs(await read(start, length)),
      readDocs: (numbers) => Promise.all(numbers.map((number) => readDoc(sections, read, number))),
      read,
      close: () => closeFile(fd),
    }
  } catch (error) {
    await closeFile(fd)
    throw error
  }
}

type Read = Segment['read']

/** Every so many-th trigram. */
async function readLandmarks({ dictionary, trigramCount }: Sections, read: Read): Promise<Uint32Array> {
  const count = Math.ceil(trigramCount / step)
  const landmarks = new Uint32Array(count)
  const window = 8_192
  for (let first = 0; first < trigramCount; first += window) {
    const entries = await read(dictionary + first * entry_bytes, Math.min(window, trigramCount - first) * entry_bytes)
    for (let at = 0; at * entry_bytes < entries.length; at += step) landmarks[(first + at) / step] = entries.readUInt32LE(at * entry_bytes)
  }
  return landmarks
}

async function findIn(
  { dictionary, trigramCount }: Sections,
  landmarks: Uint32Array,
  read: Read,
  trigram: number,
): Promise<Posting | null> {
  const block = lastUpTo(landmarks, trigram)
  if (block < 0) return null
  const first = block * step
  // Includes the entry after the block, where its last documents end.
  const count = Math.min(step + 1, trigramCount - first)
  const entries = await read(dictionary + first * entry_bytes, count * entry_bytes)
  for (let index = 0; index < Math.min(count, step); index += 1) {
    if (entries.readUInt32LE(index * entry_bytes) !== trigram) continue
    const start = entries.readUInt32LE(index * entry_bytes + 4)
    const end = index + 1 < count ? entries.readUInt32LE((index + 1) * entry_bytes + 4) : dictionary
    return { start, length: end - start }
  }
  return null
}

/** Index of the last value that is not greater; -1 if all are. */
function lastUpTo(values: Uint32Array, wanted: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((values[middle] as number) <= wanted) low = middle + 1
    else high = middle
  }
  return low - 1
}

async function readDoc({ docStarts }: Sections, read: Read, number: number): Promise<Doc> {
  const places = await read(docStarts + 4 * number, 8)
  const start = places.readUInt32LE(0)
  return decodeDoc(await read(start, places.readUInt32LE(4) - start))
}

/** Reads a range of documents with few reads. */
export async function readRange({ sections: { docStarts }, read }: Segment, first: number, count: number): Promise<Doc[]> {
  if (count === 0) return []
  const starts = await read(docStarts + 4 * first, 4 * (count + 1))
  const begin = starts.readUInt32LE(0)
  const bytes = await read(begin, starts.readUInt32LE(4 * count) - begin)
  return Array.from({ length: count }, (_, index) => {
    const [from, to] = [starts.readUInt32LE(4 * index), starts.readUInt32LE(4 * index + 4)]
    return decodeDoc(bytes.subarray(from - begin, to - begin))
  })
}
