/** A separate SSH agent, with security keys that need no touch. */
import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { testForge } from './forge.ts'
import { atEndOfFile } from './run/cleanup.ts'

export interface AgentKey {
  blob: Buffer
  sign: (data: Buffer) => Buffer
}

/** Each with its length before it, as in the SSH protocol. */
export function strings(...parts: Array<string | Buffer>): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part as string)
      return [uint32(bytes.length), bytes]
    }),
  )
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A number in the format of the SSH protocol: without leading zeros, and never negative. */
export function mpint(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0)
  const digits = start < 0 ? Buffer.alloc(0) : bytes.subarray(start)
  return (digits[0] ?? 0) > 127 ? Buffer.concat([Buffer.from([0]), digits]) : digits
}

export interface SecurityKeyOptions {
  /** The application in the key. */
  application?: string
  /** The application that is signed. */
  signed_application?: string
  /** 1 means a touch. */
  flags?: number
  counter?: number
  /** The counter that is sent, if it isn't the one that was signed. */
  sent_counter?: number
  /** Alters the signature. */
  spoil?: (signature: Buffer) => Buffer
}

export interface SecurityKey extends AgentKey {
  type: string
  /** The line of its public key. */
  line: string
}

/** A security key in software. */
export function securityKey(kind: 'ed25519' | 'ecdsa', options: SecurityKeyOptions = {}): SecurityKey {
  const { application = 'ssh:', flags = 1, counter = 7, spoil = (signature: Buffer) => signature } = options
  const { signed_application = application, sent_counter = counter } = options
  const [type, secret, point] = kind === 'ed25519' ? ed25519() : ecdsa()
  const curve = kind === 'ecdsa' ? ['nistp256'] : []
  const blob = strings(type, ...curve, point, application)
  return {
    type,
    blob,
    line: `${type} ${blob.toString('base64')} security@key`,
    sign(data) {
      const proof = Buffer.concat([Buffer.from([flags]), uint32(counter)])
      const message = Buffer.concat([hash('sha256', signed_application, 'buffer'), proof, hash('sha256', data, 'buffer')])
      const sent = Buffer.concat([Buffer.from([flags]), uint32(sent_counter)])
      return spoil(Buffer.concat([strings(type, signatureOf(kind, secret, message)), sent]))
    },
  }
}

function signatureOf(kind: 'ed25519' | 'ecdsa', key: KeyObject, message: Buffer): Buffer {
  if (kind === 'ed25519') return sign(null, message, key)
  const both = sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' })
  return strings(mpint(both.subarray(0, 32)), mpint(both.subarray(32)))
}

function ed25519(): [string, KeyObject, Buffer] {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return ['sk-ssh-ed25519@openssh.com', privateKey, Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url')]
}

function ecdsa(): [string, KeyObject, Buffer] {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x as string, 'base64url'), Buffer.from(y as string, 'base64url')])
  return ['sk-ecdsa-sha2-nistp256@openssh.com', privateKey, point]
}

const request = { identities: 11, sign: 13 }
const answer = { failure: 5, identities: 12, signature: 14 }

/** Listens for `ssh`; returns the path of its socket. */
export async function openAgent(keys: AgentKey[]): Promise<string> {
  const path = join(await (await testForge()).folder(), 'agent')
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (data) => {
      received = Buffer.concat([received, data])
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE()) {
        const end = 4 + received.readUInt32BE()
        socket.write(strings(reply(keys, received.subarray(4, end))))
        received = received.subarray(end)
      }
    })
  })
  atEndOfFile(() => server.close())
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return path
}

function reply(keys: AgentKey[], message: Buffer): Buffer {
  if (message[0] === request.identities) {
    const listed = keys.map(({ blob }) => strings(blob, 'key of the agent'))
    return Buffer.concat([Buffer.from([answer.identities]), uint32(keys.length), ...listed])
  }
  if (message[0] === request.sign) {
    const length = message.readUInt32BE(1)
    const blob = message.subarray(5, 5 + length)
    const data = message.subarray(9 + length, 9 + length + message.readUInt32BE(5 + length))
    const key = keys.find((known) => known.blob.equals(blob))
    if (key) return Buffer.concat([Buffer.from([answer.signature]), strings(key.sign(data))])
  }
  return Buffer.from([answer.failure])
}
