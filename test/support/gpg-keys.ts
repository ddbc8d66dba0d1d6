/** OpenPGP keys made by hand: no program for them is needed. */
import { generateKeyPairSync } from 'node:crypto'

/** A packet of this tag, with the kind of header that has four bytes of length. */
export function packet(tag: number, body: Buffer): Buffer {
  const head = Buffer.alloc(6)
  head.writeUInt16BE(((0xc0 | tag) << 8) | 0xff)
  head.writeUInt32BE(body.length, 2)
  return Buffer.concat([head, body])
}

/** What a public key packet of a fresh Ed25519 key holds. */
export function keyBody({ version = 4, created = Buffer.from('60000000', 'hex') } = {}): Buffer {
  const { publicKey } = generateKeyPairSync('ed25519')
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url')
  const curve = Buffer.from('092b06010401da470f01', 'hex')
  const material = version === 4 ? Buffer.concat([curve, Buffer.from('010740', 'hex'), point]) : point
  const length = Buffer.alloc(4)
  length.writeUInt32BE(material.length)
  return Buffer.concat([
    Buffer.from([version]),
    created,
    Buffer.from([version === 4 ? 22 : 27]),
    ...(version === 4 ? [] : [length]),
    material,
  ])
}

export const userId = packet(13, Buffer.from('Ada <ada@example.com>'))

/** The packets in ASCII armour. */
export function armour(...packets: Buffer[]): string {
  const text = Buffer.concat(packets).toString('base64')
  const lines = text.match(/.{1,64}/g) ?? []
  return ['-----BEGIN PGP PUBLIC KEY BLOCK-----', '', ...lines, '-----END PGP PUBLIC KEY BLOCK-----'].join('\n')
}

/** A public key that nobody else has. */
export function gpgKey(): string {
  return armour(packet(6, keyBody()), userId)
}
