/** Features that clients other than OpenSSH rely on, above all dropbear. Spoken by hand, as few machines have these clients. */
import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { testForge } from '../../support/forge.ts'
import { addKey, hasSsh, keyPair, sshHost } from '../../support/ssh.ts'
import { strings } from '../../support/ssh-agent.ts'

const message = { kexInit: 20, exchangeInit: 30, exchangeReply: 31 }

const guesses = {
  'curve25519-sha256': () => generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'der' }).subarray(-32),
  'ecdh-sha2-nistp256': () => createECDH('prime256v1').generateKeys(),
}

for (const [method, makeKey] of Object.entries(guesses)) {
  test(`a guess of ${method} is taken, or passed over, as both sides agree it has to be`, async () => {
    const socket = connect((await sshHost()).port, '127.0.0.1')
    const packets = packetsOf(socket)
    const init = packet(message.exchangeInit, strings(makeKey()))
    socket.write(Buffer.concat([Buffer.from('SSH-2.0-Guess\r\n'), kexInit(method), init]))
    const { value: theirs } = await packets.next()
    const isRight = firstListOf(theirs as Buffer)[0] === method
    if (!isRight) socket.write(init)
    const { value: reply } = await packets.next()
    expect((reply as Buffer)[0]).toBe(message.exchangeReply)
    socket.destroy()
  })
}

test.skipIf(!hasSsh)('an offered RSA key is accepted by the name it was offered by, which says how to sign', async () => {
  const forge = await testForge()
  const { file, line } = await keyPair('rsa', 2048)
  await addKey(line, forge.root)
  const { port } = await sshHost()
  const client = new ssh2.Client()
  const named = new Promise((resolve) => {
    client.once('handshake', () => {
      const { _handlers: handlers } = (client as unknown as { _protocol: { _handlers: Record<string, unknown> } })._protocol
      const goOn = handlers.USERAUTH_PK_OK as (...answer: unknown[]) => void
      handlers.USERAUTH_PK_OK = (...answer: unknown[]) => {
        resolve(answer[1])
        goOn(...answer)
      }
    })
  })
  const ready = new Promise((resolve, reject) => client.once('ready', () => resolve(true)).once('error', reject))
  client.connect({ host: '127.0.0.1', port, username: 'git', privateKey: await readFile(file) })
  expect(await named).toMatch(/^rsa-sha2-(256|512)$/)
  expect(await ready).toBe(true)
  client.end()
})

/** Names of what is wanted, and that the packet of the first key exchange follows at once. */
function kexInit(method: string): Buffer {
  const others = ['curve25519-sha256', 'ecdh-sha2-nistp256'].filter((name) => name !== method)
  const both = (name: string) => [name, name]
  const lists = [[method, ...others].join(), 'ssh-ed25519', ...both('aes128-ctr'), ...both('hmac-sha2-256'), ...both('none'), ...both('')]
  return packet(message.kexInit, Buffer.concat([randomBytes(16), strings(...lists), Buffer.from([1, 0, 0, 0, 0])]))
}

/** A packet before there is a cipher: its length, that of its padding, the payload, the padding. */
function packet(type: number, payload: Buffer): Buffer {
  const padding = 16 - ((6 + payload.length) % 8)
  const head = Buffer.from([0, 0, 0, 0, padding, type])
  head.writeUInt32BE(2 + payload.length + padding)
  return Buffer.concat([head, payload, Buffer.alloc(padding)])
}

function firstListOf(init: Buffer): string[] {
  const length = init.readUInt32BE(17)
  return init.toString('latin1', 21, 21 + length).split(',')
}

/** The payloads of what the server sends after its greeting. */
async function* packetsOf(socket: Socket): AsyncGenerator<Buffer> {
  let read = Buffer.alloc(0)
  let greeted = false
  for await (const chunk of socket) {
    read = Buffer.concat([read, chunk as Buffer])
    const end = read.indexOf('\n')
    if (!greeted && end >= 0) {
      greeted = true
      read = read.subarray(end + 1)
    }
    while (greeted && read.length >= 5 && read.length >= 4 + read.readUInt32BE(0)) {
      const length = read.readUInt32BE(0)
      yield read.subarray(5, 4 + length - (read[4] as number))
      read = read.subarray(4 + length)
    }
  }
}
