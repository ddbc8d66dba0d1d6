/** Public keys for tests, made without any program: of every type, of any size, and whole or not as is asked for. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mpint, strings } from './ssh-agent.ts'

/** A line as `ssh-keygen` writes it, of an Ed25519 key that nobody has had before. */
export function publicKey(comment = ''): string {
  return `${lineOf('ssh-ed25519', ed25519Point())} ${comment}`.trim()
}

/** A line of a key of this type, with these fields after it. */
export function lineOf(type: string, ...fields: Buffer[]): string {
  return `${type} ${strings(type, ...fields).toString('base64')}`
}

/** A number that could be the modulus of an RSA key: nobody signs with it. */
export function rsaLine(bits: number): string {
  const modulus = randomBytes(Math.ceil(bits / 8))
  modulus[0] = 1 << ((bits - 1) % 8)
  modulus[modulus.length - 1] = 1
  return lineOf('ssh-rsa', Buffer.from([1, 0, 1]), mpint(modulus))
}

export function dsaLine(bits: number): string {
  const prime = Buffer.alloc(bits / 8, 0xc3)
  return lineOf('ssh-dss', ...[prime, prime.subarray(0, 20), prime, prime].map(mpint))
}

export function ecdsaLine(bits: 256 | 384 | 521 = 256): string {
  return lineOf(`ecdsa-sha2-nistp${bits}`, Buffer.from(`nistp${bits}`), ecdsaPoint(bits))
}

/** Of a security key. */
export function securityKeyLine(family: 'ed25519' | 'ecdsa', application = 'ssh:'): string {
  if (family === 'ed25519') return lineOf('sk-ssh-ed25519@openssh.com', ed25519Point(), Buffer.from(application))
  return lineOf('sk-ecdsa-sha2-nistp256@openssh.com', Buffer.from('nistp256'), ecdsaPoint(256), Buffer.from(application))
}

export function ed25519Point(): Buffer {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  return Buffer.from(x as string, 'base64url')
}

function ecdsaPoint(bits: 256 | 384 | 521): Buffer {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: `P-${bits}` }).publicKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.from([4]), Buffer.from(x as string, 'base64url'), Buffer.from(y as string, 'base64url')])
}
