/** Git's own object formats and outputs as values: pure functions over bytes. */
import { decoderOf } from './encodings.ts'

export interface Signature {
  name: string
  email: string
  /** ISO 8601 in UTC. */
  date: string
}

export interface Commit {
  oid: string
  tree: string
  parents: string[]
  author: Signature
  committer: Signature
  message: string
}

export interface AnnotatedTag {
  oid: string
  /** The tagged object, which may be another tag. */
  object: string
  type: string
  name: string
  /** Null in tags of git before 0.99. */
  tagger: Signature | null
  message: string
}

export interface TreeEntry {
  /** Six octal digits. */
  mode: string
  type: 'tree' | 'blob' | 'commit'
  oid: string
  name: string
}

/** Parses a raw commit object. Text in other encodings than UTF-8 is decoded as its `encoding` header says. */
export function parseCommit(oid: string, data: Buffer): Commit {
  const { headers, body } = splitHeaders(data)
  const decode = decoderOf(
    headers
      .find((header) => header.toString('latin1').startsWith('encoding '))
      ?.toString('latin1')
      .slice(9),
  )
  const commit: Commit = { oid, tree: '', parents: [], author: nobody, committer: nobody, message: decode(body) }
  for (const header of headers) {
    const space = header.indexOf(32)
    const value = header.subarray(space + 1)
    switch (header.toString('latin1', 0, space)) {
      case 'tree':
        commit.tree = value.toString('latin1')
        break
      case 'parent':
        commit.parents.push(value.toString('latin1'))
        break
      case 'author':
        commit.author = parseSignature(decode(value))
        break
      case 'committer':
        commit.committer = parseSignature(decode(value))
        break
    }
  }
  return commit
}

export function parseTag(oid: string, data: Buffer): AnnotatedTag {
  const { headers, body } = splitHeaders(data)
  const value = (name: string) =>
    headers
      .find((header) => header.toString('utf8').startsWith(`${name} `))
      ?.toString('utf8')
      .slice(name.length + 1) ?? ''
  const tagger = value('tagger')
  return {
    oid,
    object: value('object'),
    type: value('type'),
    name: value('tag'),
    tagger: tagger === '' ? null : parseSignature(tagger),
    message: body.toString('utf8').replace(/\n$/, ''),
  }
}

export function typeOfMode(mode: string): TreeEntry['type'] {
  if (mode === '040000') return 'tree'
  return mode === '160000' ? 'commit' : 'blob'
}

const nobody: Signature = { name: '', email: '', date: new Date(0).toISOString() }

/** Parses `Name <email> 1700000000 +0100`, including malformed ones of old repositories. Takes linear time for any text. */
export function parseSignature(text: string): Signature {
  const open = text.indexOf('<')
  if (open < 0) return { ...nobody, name: text.trim() }
  const close = text.indexOf('>', open)
  const email = text.slice(open + 1, close < 0 ? undefined : close).trim()
  const [stamp = '0'] = /-?\d+/.exec(text.slice(text.lastIndexOf('>') + 1)) ?? []
  const date = new Date(Number(stamp) * 1000)
  return { name: text.slice(0, open).trim(), email, date: Number.isNaN(date.getTime()) ? nobody.date : date.toISOString() }
}

function splitHeaders(data: Buffer): { headers: Buffer[]; body: Buffer } {
  const blank = data.indexOf('\n\n')
  const head = blank < 0 ? data : data.subarray(0, blank)
  const headers: Buffer[] = []
  for (let at = 0; at < head.length; ) {
    const newline = head.indexOf(10, at)
    const end = newline < 0 ? head.length : newline
    // A line that begins with a space continues the header before it (signatures). These are not read.
    if (head[at] !== 32) headers.push(head.subarray(at, end))
    at = end + 1
  }
  return { headers, body: blank < 0 ? Buffer.alloc(0) : data.subarray(blank + 2) }
}
