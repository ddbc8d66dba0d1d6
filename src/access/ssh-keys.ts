/** SSH public keys: parsing, validation and verification of signatures. */
import { createHash, createPublicKey, hash, type JsonWebKey, type KeyObject, verify } from 'node:crypto'

/** Key types as the settings name them. */
export type KeyFamily = 'rsa' | 'dsa' | 'ecdsa' | 'ed25519'

export interface PublicKey {
  /** The name in the SSH protocol: `ssh-ed25519`, `sk-ecdsa-sha2-nistp256@openssh.com`. */
  type: string
  family: KeyFamily
  bits: number
  /** The key in wire format. */
  blob: Buffer
  /** Used to verify signatures; null for DSA, which isn't accepted for sign-in. */
  key: KeyObject | null
  /** The application of a security key, usually `ssh:`. */
  application: string | null
}

/** A parsed signature of the client. */
export interface Signature {
  /** Hash for RSA, from the name of the algorithm; null means SHA-1. */
  hash: 'sha256' | 'sha512' | null
  /** ECDSA as DER; for a security key the signature, flags and counter in wire format. */
  bytes: Buffer
  /** The signed bytes. */
  signed: Buffer
}

const curves: Record<string, { name: string; bytes: number; bits: number; digest: string }> = {
  nistp256: { name: 'P-256', bytes: 32, bits: 256, digest: 'sha256' },
  nistp384: { name: 'P-384', bytes: 48, bits: 384, digest: 'sha384' },
  nistp521: { name: 'P-521', bytes: 66, bits: 521, digest: 'sha512' },
}

/** RSA of 16,384 bits takes about 2 KiB. */
const maxBlob_bytes = 8_192

/** The key and comment of a line like `ssh-ed25519 AAAA… comment`; null if it is invalid or of an unknown type. */
export function parsePublicKey(text: string): { key: PublicKey; comment: string } | null {
  const [, type, base64 = '', comment = ''] = /^([\w@.-]+)[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]([^\r\n]*))?$/.exec(text.trim()) ?? []
  const blob = Buffer.from(base64, 'base64')
  if (type === undefined || blob.toString('base64') !== base64) return null
  const key = readPublicKey(blob)
  return key?.type === type ? { key, comment: comment.trim() } : null
}

/** Parses a key in wire format; null if it is invalid, too long, or not a point on its curve. */
export function readPublicKey(blob: Buffer): PublicKey | null {
  if (blob.length > maxBlob_bytes) return null
  try {
    const fields = readStrings(blob)
    const type = fields.shift()?.toString('latin1') ?? ''
    const found = interpret(type, fields)
    return found && { type, blob, ...found }
  } catch {
    return null
  }
}

/** In the format of `ssh-keygen -l`, without `SHA256:` and `MD5:`. */
export function fingerprintsOf(blob: Buffer): { sha256: string; md5: string } {
  return {
    sha256: hash('sha256', blob, 'base64').replace(/=+$/, ''),
    md5: (createHash('md5').update(blob).digest('hex').match(/../g) ?? []).join(':'),
  }
}

/** Whether the signature was made with this key. SHA-1 is rejected; a security key must have been touched. */
export function hasSigned({ type, key, application }: PublicKey, { hash, bytes, signed }: Signature): boolean {
  try {
    if (key === null) return false
    if (application !== null) return hasTouched(key, application, bytes, signed)
    if (type === 'ssh-rsa') return hash !== null && verify(hash, signed, key, bytes)
    return verify(digestOf(type), signed, key, bytes)
  } catch {
    return false
  }
}

/** Null for Ed25519, which has its own hash. */
function digestOf(type: string): string | null {
  const curve = curves[type.split('-').at(-1) ?? '']
  return curve?.digest ?? null
}

/** Verifies the bytes that a security key signs: the digest of its application, flags, counter, and the digest of the message. */
function hasTouched(key: KeyObject, application: string, bytes: Buffer, signed: Buffer): boolean {
  const proof = bytes.subarray(-5)
  const userPresent = ((proof[0] ?? 0) & 1) === 1
  const message = Buffer.concat([hash('sha256', application, 'buffer'), proof, hash('sha256', signed, 'buffer')])
  const signature = bytes.subarray(0, -5)
  if (!userPresent) return false
  if (key.asymmetricKeyType === 'ed25519') return verify(null, message, key, signature)
  const [r, s, ...more] = readStrings(signature).map((number) => fixed(number, 32))
  return (
    r !== undefined &&
    s !== undefined &&
    more.length === 0 &&
    verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat([r, s]))
  )
}

type Interpreted = Omit<PublicKey, 'type' | 'blob'> | null

/** Interprets the fields after the type. Throws for numbers that don't form a key. */
function interpret(type: string, fields: Buffer[]): Interpreted {
  const [first, second, third] = fields as [Buffer, Buffer, Buffer]
  const is = (name: string, count: number) => type === name && fields.length === count
  if (is('ssh-rsa', 2)) {
    const bits = bitsOf(second)
    // With an exponent of 1 anyone could sign; an even one is invalid.
    if (![first, second].every(isOddNumber) || bitsOf(first) < 2) return null
    return { family: 'rsa', bits, key: fromJwk({ kty: 'RSA', e: base64url(first), n: base64url(second) }), application: null }
  }
  if (is('ssh-dss', 4)) return { family: 'dsa', bits: bitsOf(first), key: null, application: null }
  if (is('ssh-ed25519', 1)) return { family: 'ed25519', bits: 256, key: ed25519(first), application: null }
  if (is('sk-ssh-ed25519@openssh.com', 2))
    return { family: 'ed25519', bits: 256, key: ed25519(first), application: second.toString('utf8') }
  if (is('sk-ecdsa-sha2-nistp256@openssh.com', 3)) return elliptic('nistp256', first, second, third.toString('utf8'))
  if (type.startsWith('ecdsa-sha2-') && fields.length === 2) return elliptic(type.slice('ecdsa-sha2-'.length), first, second, null)
  return null
}

function elliptic(name: string, declared: Buffer, point: Buffer, application: string | null): Interpreted {
  const curve = curves[name]
  if (!curve || declared.toString('latin1') !== name || point[0] !== 4 || point.length !== 1 + 2 * curve.bytes) return null
  const x = point.subarray(1, 1 + curve.bytes).toString('base64url')
  const y = point.subarray(1 + curve.bytes).toString('base64url')
  return { family: 'ecdsa', bits: curve.bits, key: fromJwk({ kty: 'EC', crv: curve.name, x, y }), application }
}

/**
 * Rejected Ed25519 keys, in hexadecimal without the sign of x: points of small order, with which anyone could sign, and numbers above the
 * prime, which are second encodings of other points.
 */
const unsoundPoints =
  /^(?:0[01](?:00){31}|(?:e[c-f]|f.)(?:ff){30}7f|26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05|c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a)$/

function ed25519(point: Buffer): KeyObject {
  const unsigned = Buffer.from(point)
  unsigned[31] = (unsigned[31] ?? 0) & 127
  if (unsoundPoints.test(unsigned.toString('hex'))) throw new RangeError('by this key anybody could sign')
  return fromJwk({ kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') })
}

function fromJwk(key: JsonWebKey): KeyObject {
  return createPublicKey({ key, format: 'jwk' })
}

/** Reads strings with their length prefixes. Throws unless they fill the bytes exactly. */
function readStrings(bytes: Buffer): Buffer[] {
  const strings: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    if (length > bytes.length - at - 4) throw new RangeError('a string goes beyond the end')
    strings.push(bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return strings
}

/** Whether the number is odd and in canonical encoding: with additional zeros, the same key would have another fingerprint. */
function isOddNumber(number: Buffer): boolean {
  const [first = 128, second = 128] = number
  return first < 128 && (first > 0 || second >= 128) && (number.at(-1) ?? 0) % 2 === 1
}

/** Numbers have a leading zero on the wire if they would look negative. */
function unsigned(number: Buffer): Buffer {
  const start = number.findIndex((byte) => byte !== 0)
  return start < 0 ? Buffer.alloc(0) : number.subarray(start)
}

function base64url(number: Buffer): string {
  return unsigned(number).toString('base64url')
}

function bitsOf(number: Buffer): number {
  const digits = unsigned(number)
  return digits.length === 0 ? 0 : digits.length * 8 - Math.clz32(digits[0] as number) + 24
}

function fixed(number: Buffer, length: number): Buffer {
  const digits = unsigned(number)
  if (digits.length > length) throw new RangeError('a number is longer than its curve')
  return Buffer.concat([Buffer.alloc(length - digits.length), digits])
}
