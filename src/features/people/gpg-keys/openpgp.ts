/** Reads the ASCII armor of an OpenPGP public key: enough to know that it is one, and which (RFC 4880, RFC 9580). */
import { hash } from 'node:crypto'
import { withoutTrailing } from '../../../text/trailing.ts'

const begin = '-----BEGIN PGP PUBLIC KEY BLOCK-----'
const end = '-----END PGP PUBLIC KEY BLOCK-----'

/** The error of a block, for its field. */
export class NoPublicKey extends Error {}

const noBlock = `is invalid. A valid public GPG key begins with '${begin}' and ends with '${end}'`
const unreadable = 'is invalid. It holds no public key that can be read'
const isPrivate = 'is invalid. It holds a private key: export the public key alone'
const several = 'is invalid. It holds more than one key'

const tags = { signature: 2, secretKey: 5, publicKey: 6, secretSubkey: 7, userId: 13, publicSubkey: 14, userAttribute: 17 } as const

/** The fingerprint of the only primary key in the block, in upper case. Throws `NoPublicKey` for anything else. */
export function fingerprintOfBlock(block: string): string {
  const packets = [...packetsOf(bytesOf(block))]
  const having = (tag: number) => packets.filter((packet) => packet.tag === tag)
  if (having(tags.secretKey).length + having(tags.secretSubkey).length > 0) throw new NoPublicKey(isPrivate)
  const [primary, second] = having(tags.publicKey)
  if (!primary || packets[0] !== primary) throw new NoPublicKey(unreadable)
  if (second) throw new NoPublicKey(several)
  const version = primary.body[0]
  // Older programs don't import keys without a user id; the newest version of keys needs none.
  if (version !== 6 && having(tags.userId).length === 0) throw new NoPublicKey(unreadable)
  return fingerprintOf(primary.body)
}

/** The packets of a stored key that verification needs. */
export interface PublicKey {
  /** Without packets that programs only write into their own files: a trust packet would make gpg trust what it hasn't checked. */
  packets: Buffer
  /** `Name <email>`, in the order of the key. */
  identities: Array<{ name: string; email: string }>
}

const shared: number[] = [tags.publicKey, tags.publicSubkey, tags.userId, tags.userAttribute, tags.signature]

/** Null for a key newer than version 4, which few programs support. Throws `NoPublicKey` for anything else. */
export function readPublicKey(block: string): PublicKey | null {
  const packets = [...packetsOf(bytesOf(block))]
  if (packets[0]?.body[0] !== 4) return null
  return {
    packets: Buffer.concat(packets.filter(({ tag }) => shared.includes(tag)).map(encoded)),
    identities: packets.filter(({ tag }) => tag === tags.userId).map(({ body }) => identityOf(body.toString('utf8'))),
  }
}

/** With a header that has four bytes of length. */
function encoded({ tag, body }: Packet): Buffer {
  const head = Buffer.alloc(6)
  head.writeUInt16BE(((0xc0 | tag) << 8) | 0xff)
  head.writeUInt32BE(body.length, 2)
  return Buffer.concat([head, body])
}

function identityOf(text: string): { name: string; email: string } {
  const open = text.lastIndexOf('<')
  if (open < 0 || !text.endsWith('>')) return { name: text.trim(), email: '' }
  return { name: text.slice(0, open).trim(), email: text.slice(open + 1, -1).trim() }
}

/** The bytes inside the armor. If there is a checksum, it must be right. */
function bytesOf(block: string): Buffer {
  const inner = block.slice(begin.length, -end.length)
  if (!block.startsWith(begin) || !block.endsWith(end) || inner.includes(begin) || inner.includes(end)) throw new NoPublicKey(noBlock)
  const lines = inner.split(/\r?\n/).map((line) => line.trim())
  if (lines[0] !== '') throw new NoPublicKey(noBlock)
  const headers = lines.slice(1).indexOf('')
  const [text = '', sum] = lines
    .slice(headers + 2)
    .join('')
    .split(/=(?=[A-Za-z0-9+/]{4}$)/)
  const bytes = Buffer.from(text, 'base64')
  const padded = bytes.toString('base64')
  if (headers < 0 || bytes.length === 0 || (text !== padded && text !== withoutTrailing(padded, '='))) throw new NoPublicKey(unreadable)
  if (sum !== undefined && crc24(bytes) !== Buffer.from(sum, 'base64').readUIntBE(0, 3)) throw new NoPublicKey(unreadable)
  return bytes
}

function crc24(bytes: Buffer): number {
  let crc = 0xb704ce
  for (const byte of bytes) {
    crc ^= byte << 16
    for (let bit = 0; bit < 8; bit++) {
      crc <<= 1
      if (crc & 0x1000000) crc ^= 0x1864cfb
    }
  }
  return crc & 0xffffff
}

interface Packet {
  tag: number
  body: Buffer
}

/** All packets, up to the last byte. Packets of a key have a known length, and are not split. */
function* packetsOf(bytes: Buffer): Generator<Packet> {
  const reader = readerOf(bytes)
  while (!reader.atEnd()) {
    const head = reader.number(1)
    if ((head & 0x80) === 0) throw new NoPublicKey(unreadable)
    const isNew = (head & 0x40) !== 0
    const length = isNew ? newLength(reader) : oldLength(reader, head & 3)
    yield { tag: isNew ? head & 0x3f : (head >> 2) & 0xf, body: reader.bytes(length) }
  }
}

function oldLength(reader: Reader, type: number): number {
  if (type === 3) throw new NoPublicKey(unreadable)
  return reader.number((2 ** type) as 1 | 2 | 4)
}

function newLength(reader: Reader): number {
  const first = reader.number(1)
  if (first < 192) return first
  if (first < 224) return (first - 192) * 256 + reader.number(1) + 192
  if (first < 255) throw new NoPublicKey(unreadable)
  return reader.number(4)
}

/** The parameters of a key, by algorithm: numbers with their lengths, a curve, or a fixed number of bytes. */
const parts: Record<number, Array<'number' | 'curve' | number>> = {
  1: ['number', 'number'],
  3: ['number', 'number'],
  17: ['number', 'number', 'number', 'number'],
  19: ['curve', 'number'],
  22: ['curve', 'number'],
  27: [32],
  28: [57],
}

/** The fingerprint of a key that can sign, and has exactly the parameters of its algorithm. */
function fingerprintOf(body: Buffer): string {
  const reader = readerOf(body)
  const version = reader.number(1)
  reader.bytes(4)
  const wanted = parts[reader.number(1)]
  if (!wanted) throw new NoPublicKey(unreadable)
  if (version >= 5) reader.bytes(4)
  for (const part of wanted) {
    if (part === 'number') reader.bytes(Math.ceil(reader.number(2) / 8))
    else reader.bytes(part === 'curve' ? reader.number(1) : part)
  }
  if (!reader.atEnd()) throw new NoPublicKey(unreadable)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  const digest = (algorithm: string, ...heads: Buffer[]) => hash(algorithm, Buffer.concat([...heads, body]), 'hex').toUpperCase()
  if (version === 4) return digest('sha1', Buffer.from([0x99]), length.subarray(2))
  if (version === 5) return digest('sha256', Buffer.from([0x9a]), length)
  if (version === 6) return digest('sha256', Buffer.from([0x9b]), length)
  throw new NoPublicKey(unreadable)
}

type Reader = ReturnType<typeof readerOf>

function readerOf(from: Buffer) {
  let at = 0
  const bytes = (length: number): Buffer => {
    if (length > from.length - at) throw new NoPublicKey(unreadable)
    at += length
    return from.subarray(at - length, at)
  }
  return { bytes, number: (length: 1 | 2 | 4): number => bytes(length).readUIntBE(0, length), atEnd: () => at === from.length }
}
