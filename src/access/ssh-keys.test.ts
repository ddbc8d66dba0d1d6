import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { measureComputing } from '../../test/support/run/cpu.ts'
import { mpint, securityKey, strings } from '../../test/support/ssh-agent.ts'
import { fingerprintsOf, hasSigned, type PublicKey, parsePublicKey, readPublicKey } from './ssh-keys.ts'

const signed = Buffer.from('what was signed')

/** The points of Ed25519 that give the neutral one when they are added to themselves a few times. */
const worthlessPoints = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]

function otherSign(y: string): Buffer {
  const point = Buffer.from(y, 'hex')
  point.writeUInt8(point.readUInt8(31) | 128, 31)
  return point
}

test.each(worthlessPoints)('the low-order point %s is rejected', (y) => {
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(y, 'hex').toString('base64url') }, format: 'jwk' })
  const anybodys = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)])
  expect(Array.from({ length: 200 }, (_, index) => verify(null, Buffer.from([index]), key, anybodys))).toContain(true)
})

function field(key: KeyObject, name: 'x' | 'y' | 'e' | 'n'): Buffer {
  return Buffer.from(key.export({ format: 'jwk' })[name] as string, 'base64url')
}

function ed25519(): { blob: Buffer; secret: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { blob: strings('ssh-ed25519', field(publicKey, 'x')), secret: privateKey }
}

function rsa(bits: number): { blob: Buffer; secret: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  return { blob: strings('ssh-rsa', mpint(field(publicKey, 'e')), mpint(field(publicKey, 'n'))), secret: privateKey }
}

function ecdsa(bits: 256 | 384 | 521): { blob: Buffer; secret: KeyObject; point: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: `P-${bits}` })
  const point = Buffer.concat([Buffer.from([4]), field(publicKey, 'x'), field(publicKey, 'y')])
  return { blob: strings(`ecdsa-sha2-nistp${bits}`, `nistp${bits}`, point), secret: privateKey, point }
}

function known(blob: Buffer): PublicKey {
  const key = readPublicKey(blob)
  if (!key) throw new Error('the key was not understood')
  return key
}

/** Made by `ssh-keygen`; the fingerprints are what `ssh-keygen -l` says of it. */
const sample = {
  line: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICD7O4UVTCpI3aTasYbZT0CNnvaeyvuZczO+fy4hwAwB ada@example.com',
  sha256: '5B/Xwa6sETD129SApzi8pHgy27yzeFY2eUAnXQ69EQw',
  md5: '3c:d8:72:e2:94:b6:b7:fc:28:98:4c:93:33:c6:2b:c1',
}

describe('a line of text', () => {
  test('gives the key and its comment, and the fingerprints that ssh-keygen shows', () => {
    const parsed = parsePublicKey(`  ${sample.line}\n`)
    expect(parsed).toMatchObject({ comment: 'ada@example.com', key: { type: 'ssh-ed25519', family: 'ed25519', bits: 256 } })
    expect(fingerprintsOf(parsed?.key.blob as Buffer)).toEqual({ sha256: sample.sha256, md5: sample.md5 })
  })

  test('may have no comment, or one with spaces', () => {
    const [type, base64] = sample.line.split(' ')
    expect(parsePublicKey(`${type} ${base64}`)?.comment).toBe('')
    expect(parsePublicKey(`${type}\t${base64}  a  b `)?.comment).toBe('a  b')
  })

  test('with anything else is no key', () => {
    const [type, base64 = ''] = sample.line.split(' ')
    for (const line of [
      '',
      'ssh-ed25519',
      base64,
      `ssh-rsa ${base64}`,
      `${type} ${base64.slice(0, -4)}`,
      `${type} ${base64}AAAA`,
      `${type} ${base64.slice(0, -1)}!`,
      `${type} ${base64}\n${sample.line}`,
      `no-pty ${sample.line}`,
      `command="id" ${sample.line}`,
      '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----',
      `${type} ${'A'.repeat(1_000_000)}`,
      'a '.repeat(500_000),
      ' '.repeat(1_000_000),
      `${sample.line}${' '.repeat(500_000)}\nx`,
    ]) {
      const used_ms = measureComputing()
      expect(parsePublicKey(line)).toBeNull()
      expect(used_ms()).toBeLessThan(500)
    }
  })
})

describe('a key and its signature', () => {
  test('ed25519', () => {
    const { blob, secret } = ed25519()
    const key = known(blob)
    const bytes = sign(null, signed, secret)
    expect(key).toMatchObject({ type: 'ssh-ed25519', family: 'ed25519', bits: 256, application: null })
    expect(hasSigned(key, { hash: null, bytes, signed })).toBe(true)
    expect(hasSigned(key, { hash: null, bytes, signed: Buffer.from('something else') })).toBe(false)
    expect(hasSigned(known(ed25519().blob), { hash: null, bytes, signed })).toBe(false)
    for (const wrong of [Buffer.alloc(0), Buffer.alloc(64), bytes.subarray(1), Buffer.concat([bytes, bytes])]) {
      expect(hasSigned(key, { hash: null, bytes: wrong, signed })).toBe(false)
    }
  })

  for (const bits of [256, 384, 521] as const) {
    test(`ecdsa of ${bits} bits`, () => {
      const { blob, secret } = ecdsa(bits)
      const key = known(blob)
      const digest = { 256: 'sha256', 384: 'sha384', 521: 'sha512' }[bits]
      expect(key).toMatchObject({ type: `ecdsa-sha2-nistp${bits}`, family: 'ecdsa', bits })
      expect(hasSigned(key, { hash: null, bytes: sign(digest, signed, secret), signed })).toBe(true)
      expect(hasSigned(key, { hash: null, bytes: sign('sha1', signed, secret), signed })).toBe(false)
      expect(hasSigned(key, { hash: null, bytes: sign(digest, signed, ecdsa(bits).secret), signed })).toBe(false)
    })
  }

  test('rsa, by SHA-2 and never by SHA-1', () => {
    const { blob, secret } = rsa(2048)
    const key = known(blob)
    expect(key).toMatchObject({ type: 'ssh-rsa', family: 'rsa', bits: 2048 })
    for (const hash of ['sha256', 'sha512'] as const) expect(hasSigned(key, { hash, bytes: sign(hash, signed, secret), signed })).toBe(true)
    expect(hasSigned(key, { hash: 'sha512', bytes: sign('sha256', signed, secret), signed })).toBe(false)
    expect(hasSigned(key, { hash: null, bytes: sign('sha1', signed, secret), signed })).toBe(false)
  })

  test('dsa is recognized, and never verifies', () => {
    const key = known(strings('ssh-dss', mpint(Buffer.alloc(128, 0xff)), Buffer.from([3]), Buffer.from([2]), Buffer.from([5])))
    expect(key).toMatchObject({ type: 'ssh-dss', family: 'dsa', bits: 1024, key: null })
    expect(hasSigned(key, { hash: null, bytes: Buffer.alloc(40), signed })).toBe(false)
  })

  for (const kind of ['ed25519', 'ecdsa'] as const) {
    test(`a security key (${kind})`, () => {
      const key = securityKey(kind)
      expect(known(key.blob)).toMatchObject({ type: key.type, family: kind, bits: 256, application: 'ssh:' })
      const check = (made: ReturnType<typeof securityKey>, change = (bytes: Buffer) => bytes) =>
        hasSigned(known(made.blob), { hash: null, bytes: change(onWire(made)), signed })
      expect(check(key)).toBe(true)
      expect(check(securityKey(kind, { flags: 0x45 }))).toBe(true)
      expect(check(securityKey(kind, { flags: 0 }))).toBe(false)
      expect(check(securityKey(kind, { signed_application: 'https://example.com' }))).toBe(false)
      expect(check(securityKey(kind, { counter: 1, sent_counter: 2 }))).toBe(false)
      for (const cut of [1, 4, 5, 6, 40]) expect(check(key, (bytes) => bytes.subarray(0, -cut))).toBe(false)
      expect(check(key, (bytes) => Buffer.concat([bytes, Buffer.from([0])]))).toBe(false)
      expect(check(key, () => Buffer.alloc(0))).toBe(false)
      expect(check(key, () => Buffer.alloc(1_000_000, 1))).toBe(false)
    })
  }

  /** As it comes from the library: without the name of the key and the length that stand before it. */
  function onWire(key: ReturnType<typeof securityKey>): Buffer {
    return key.sign(signed).subarray(4 + key.type.length + 4)
  }
})

describe('bytes that are no key', () => {
  const { blob } = ed25519()
  const { point } = ecdsa(256)
  const off = Buffer.from(point)
  off[40] = (off[40] as number) ^ 1
  const modulus = Buffer.concat([Buffer.from([0]), Buffer.alloc(256, 0xff)])
  const cases: Array<[string, Buffer]> = [
    ['none', Buffer.alloc(0)],
    ['a length alone', Buffer.from([0, 0, 0, 11])],
    ['a length beyond the end', Buffer.from([0xff, 0xff, 0xff, 0xff, 1])],
    ['one byte too few', blob.subarray(0, -1)],
    ['one byte too many', Buffer.concat([blob, Buffer.from([0])])],
    ['one field too many', Buffer.concat([blob, strings('x')])],
    ['a point of 31 bytes', strings('ssh-ed25519', Buffer.alloc(31, 1))],
    ['a point off the curve', strings('ecdsa-sha2-nistp256', 'nistp256', off)],
    ['a point at infinity', strings('ecdsa-sha2-nistp256', 'nistp256', Buffer.from([0]))],
    ['a compressed point', strings('ecdsa-sha2-nistp256', 'nistp256', Buffer.concat([Buffer.from([2]), point.subarray(1, 33)]))],
    ['the name of another curve', strings('ecdsa-sha2-nistp256', 'nistp384', point)],
    ['a point of another curve', strings('ecdsa-sha2-nistp256', 'nistp256', ecdsa(384).point)],
    ['a security key off the curve', strings('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', off, 'ssh:')],
    ['a security key without an application', strings('sk-ssh-ed25519@openssh.com', Buffer.alloc(32, 1))],
    ['a certificate', strings('ssh-ed25519-cert-v01@openssh.com', 'nonce', Buffer.alloc(32, 1))],
    ['an unknown type', strings('ssh-future', Buffer.alloc(32, 1))],
    ['an inherited name', strings('ecdsa-sha2-constructor', 'constructor', point)],
    ['an RSA modulus of nothing', strings('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(0))],
    ['an RSA exponent of one', strings('ssh-rsa', Buffer.from([1]), modulus)],
    ['an even RSA exponent', strings('ssh-rsa', Buffer.from([1, 0, 0]), modulus)],
    ['an even RSA modulus', strings('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.concat([modulus, Buffer.from([0])]))],
    ['a negative RSA modulus', strings('ssh-rsa', Buffer.from([1, 0, 1]), modulus.subarray(1))],
    ['an RSA key with zeros before its numbers', strings('ssh-rsa', Buffer.from([0, 1, 0, 1]), modulus)],
    [
      'an Ed25519 point beyond the prime',
      strings('ssh-ed25519', Buffer.concat([Buffer.from([0xf0]), Buffer.alloc(30, 255), Buffer.from([127])])),
    ],
    ...worthlessPoints.flatMap(
      (y): Array<[string, Buffer]> => [
        [`the Ed25519 point ${y.slice(0, 8)}…, by which anybody could sign`, strings('ssh-ed25519', Buffer.from(y, 'hex'))],
        [`the same with another sign`, strings('ssh-ed25519', otherSign(y))],
        [`the same on a security key`, strings('sk-ssh-ed25519@openssh.com', Buffer.from(y, 'hex'), 'ssh:')],
      ],
    ),
    ['a megabyte', strings('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.alloc(1_000_000, 255))],
  ]
  for (const [what, bytes] of cases) test(what, () => expect(readPublicKey(bytes)).toBeNull())
})
