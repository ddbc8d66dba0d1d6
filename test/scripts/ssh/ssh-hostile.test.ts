import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { engine } from '../../support/database.ts'
import { testForge } from '../../support/forge.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import {
  addKey,
  clientOptions,
  endOf,
  hasSsh,
  keyOf,
  keyPair,
  rawChannel,
  rawClient,
  rawCommand,
  removeKey,
  resultOf,
  type SshHost,
  ssh,
  sshHost,
  sshWithAgent,
} from '../../support/ssh.ts'
import { openAgent, securityKey, strings } from '../../support/ssh-agent.ts'

const withSsh = test.skipIf(!hasSsh)
/** Tests of git and the wire alone, which need one engine; those that reach the database run on both. */
const onOneEngine = test.skipIf(engine === 'postgres')
const withSshOnOneEngine = test.skipIf(!hasSsh || engine === 'postgres')
const ident = 'SSH-2.0-Test\r\n'

function dial(host: SshHost): Socket {
  return connect(host.port, '127.0.0.1').on('error', () => {})
}

function closing(socket: Socket): Promise<void> {
  socket.resume()
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))
}

async function isWelcome(host: SshHost, file: string): Promise<boolean> {
  return (await ssh(host, ['-T', ...clientOptions(file)])).code === 0
}

for (const [what, greeting] of [
  ['says nothing', ''],
  ['says who it is and then nothing', ident],
  ['begins a key exchange and stalls in it', `${ident}\0\0`],
] as const) {
  onOneEngine(`a client that ${what} is cut off`, async () => {
    const socket = dial(await sshHost({ sign_in_ms: 100 }))
    socket.write(greeting)
    await closing(socket)
  })
}

onOneEngine('a client that trickles bytes wins no time by it', async () => {
  const socket = dial(await sshHost({ sign_in_ms: 150 }))
  const trickle = setInterval(() => socket.write('S'), 10)
  await closing(socket)
  clearInterval(trickle)
})

withSshOnOneEngine('a client that has exchanged keys and does not sign in is cut off', async () => {
  const host = await sshHost({ sign_in_ms: 200 })
  const client = new ssh2.Client()
  const ended = endOf(client)
  // It asks its handler for another way to sign in, and is never told one.
  client.on('error', () => {}).connect({ host: '127.0.0.1', port: host.port, username: 'git', authHandler: () => undefined as never })
  await ended
})

withSsh('noise of any kind ends the connection it comes by, and nothing else', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const { file } = await keyOf(forge.root)
  const noises = [
    randomBytes(100),
    Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
    Buffer.from('SSH-1.0-Old\r\n'),
    Buffer.alloc(100_000, 'S'),
    ...Array.from({ length: 40 }, (_, index) => Buffer.concat([Buffer.from(ident), randomBytes(index * 50 + 1)])),
    // Packets with a plausible length, and rubbish inside.
    ...Array.from({ length: 60 }, (_, type) =>
      Buffer.concat([Buffer.from(ident), packet(Buffer.concat([Buffer.from([type]), randomBytes(30)]))]),
    ),
    Buffer.concat([Buffer.from(ident), Buffer.from([0xff, 0xff, 0xff, 0xff])]),
    Buffer.concat([Buffer.from(ident), Buffer.alloc(20)]),
  ]
  await Promise.all(
    noises.map(async (noise, index) => {
      // No more at once than one address may have.
      await new Promise((resolve) => setTimeout(resolve, Math.floor(index / 10) * 30))
      const socket = dial(host)
      socket.end(noise)
      await closing(socket)
    }),
  )
  expect(await isWelcome(host, file)).toBe(true)
})

/** An unencrypted packet of the wire. */
function packet(payload: Buffer): Buffer {
  const padding = 8 - ((payload.length + 5) % 8) + 8
  const head = Buffer.alloc(5)
  head.writeUInt32BE(payload.length + padding + 1)
  head[4] = padding
  return Buffer.concat([head, payload, Buffer.alloc(padding)])
}

withSshOnOneEngine('a thousand connections at once leave HTTP and those who have signed in alone', async () => {
  const forge = await testForge()
  const host = await sshHost({ unsigned_of_address: 20, sign_in_ms: 60_000 })
  const key = await keyOf(forge.root)
  const client = await rawClient(host, key)
  await forge.url()
  const before_bytes = process.memoryUsage().rss
  const flood = Array.from({ length: 1_000 }, () => dial(host))
  let refused = 0
  for (const socket of flood) socket.once('close', () => (refused += 1))
  await expect.poll(() => refused).toBe(980)
  expect((await fetch(`${await forge.url()}/-/readiness`)).status).toBe(200)
  expect((await rawCommand(client, "git-upload-pack 'none/none'")).status).toBe(128)
  // The heap of the tests alone may grow by what it keeps of short-lived objects.
  expect((process.memoryUsage().rss - before_bytes) / 1024 / 1024).toBeLessThan(300)
  for (const socket of flood) socket.destroy()
  await expect.poll(() => isWelcome(host, key.file)).toBe(true)
  client.end()
})

withSshOnOneEngine('an address has only so many connections; one that goes makes room', async () => {
  const forge = await testForge()
  const host = await sshHost({ connections_of_address: 2 })
  const key = await keyOf(forge.root)
  const [first, second] = [await rawClient(host, key), await rawClient(host, key)]
  await expect(rawClient(host, key)).rejects.toThrow()
  first.end()
  await expect.poll(() => isWelcome(host, key.file)).toBe(true)
  second.end()
})

withSsh('a client gets only so many tries', async () => {
  const forge = await testForge()
  const host = await sshHost({ offers: 3 })
  const wrong = await Promise.all([keyPair(), keyPair(), keyPair()])
  const right = await keyOf(forge.root)
  const offered = (...files: string[]) =>
    ssh(host, ['-T', ...clientOptions(files[0] as string), ...files.slice(1).flatMap((file) => ['-i', file])])
  // The first try of every client is one without a key.
  expect((await offered(wrong[0].file, right.file)).code).toBe(0)
  expect((await offered(...wrong.map(({ file }) => file), right.file)).code).toBe(255)
})

withSshOnOneEngine('passwords are no way in, however many are tried', async () => {
  const host = await sshHost({ refusals: 3 })
  const client = new ssh2.Client()
  let tries = 0
  const ended = endOf(client.on('error', () => {}))
  client.connect({
    host: '127.0.0.1',
    port: host.port,
    username: 'git',
    authHandler: (_methods, _partial, next) => {
      tries += 1
      next({ type: 'password', username: 'git', password: 'root-password' })
    },
  })
  await ended
  expect(tries).toBeLessThanOrEqual(4)
})

withSshOnOneEngine('a connection has only so many sessions, and a session only one command', async () => {
  const forge = await testForge()
  const host = await sshHost({ sessions: 3 })
  const client = await rawClient(host, await keyOf(forge.root))
  const project = await forge.project()
  const waiting = await Promise.all([1, 2, 3].map(() => rawChannel(client, `git-upload-pack '${project.full_path}'`)))
  await expect(rawChannel(client, "git-upload-pack 'a/b'")).rejects.toThrow()
  await Promise.all(waiting.map((channel) => resultOf(channel, '0000')))
  const channel = await rawChannel(client, `git-upload-pack '${project.full_path}'`)
  const ended = endOf(client)
  secondCommand(client, channel, 'git-upload-pack')
  await ended
})

/** Sends a second command on a channel, which the library's own client never does. */
function secondCommand(client: unknown, channel: unknown, command: string): void {
  const { _protocol: protocol } = client as { _protocol: { exec: (id: number, command: string, reply: boolean) => void } }
  protocol.exec((channel as { outgoing: { id: number } }).outgoing.id, command, true)
}

withSshOnOneEngine('a client that wants its data byte by byte, or in packets of nothing, is cut off', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const key = await keyOf(forge.root)
  for (const size of [0, 1]) {
    const client = await rawClient(host, key)
    const ended = endOf(client)
    openWith(client, { packet_bytes: size })
    await ended
  }
  expect(await isWelcome(host, key.file)).toBe(true)
})

function openWith(client: unknown, { packet_bytes }: { packet_bytes: number }): void {
  const raw = client as {
    _protocol: { session: (id: number, window: number, packet: number) => void; exec: (id: number, line: string, reply: boolean) => void }
    _chanMgr: { add: (made: unknown) => number }
  }
  const opened = Object.assign(
    (error: unknown, channel: { outgoing: { id: number } }) => {
      if (!error) raw._protocol.exec(channel.outgoing.id, "git-upload-pack 'a/b'", true)
    },
    { type: 'session' },
  )
  raw._protocol.session(raw._chanMgr.add(opened), 2 ** 21, packet_bytes)
}

withSsh('a key deleted while its connection is open opens nothing more by it', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const user = await forge.user()
  const project = await forge.project({ developer: user })
  const pair = await keyPair()
  const id = await addKey(pair.line, user)
  const client = await rawClient(host, pair)
  const command = `git-upload-pack '${project.full_path}'`
  expect((await resultOf(await rawChannel(client, command), '0000')).status).toBe(0)

  await forge.app.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute()
  const refusal = { status: 128, stdout: '', stderr: 'Gitstead: This key opens nothing here any more.\n' }
  expect(await rawCommand(client, command)).toEqual(refusal)
  await forge.app.db.updateTable('users').set({ state: 'active' }).where('id', '=', user.id).execute()
  expect((await resultOf(await rawChannel(client, command), '0000')).status).toBe(0)
  await removeKey(id)
  expect(await rawCommand(client, command)).toEqual(refusal)
  client.end()
})

withSsh('while the database is out of reach nobody signs in, and who has is told that it is the server', async () => {
  const forge = await testForge()
  const app = { ...forge.app }
  const host = await sshHost({}, { ...forge, app })
  const key = await keyOf(forge.root)
  const client = await rawClient(host, key)
  app.db = new Proxy(forge.app.db, {
    get() {
      throw new Error('the database is out of reach')
    },
  })
  expect(await isWelcome(host, key.file)).toBe(false)
  const refusal = { status: 128, stdout: '', stderr: 'Gitstead: Something went wrong on the server.\n' }
  expect(await rawCommand(client, "git-upload-pack 'a/b'")).toEqual(refusal)
  app.db = forge.app.db
  expect(await isWelcome(host, key.file)).toBe(true)
  expect((await rawCommand(client, "git-upload-pack 'none/none'")).stderr).toMatch(/could not be found/)
  client.end()
})

withSshOnOneEngine(
  'a connection without a command ends after its time, and git that waits for its client after another',
  inFullRun('1 s of processor. A client that wants its data byte by byte is cut off above.'),
  async () => {
    const forge = await testForge()
    const key = await keyOf(forge.root)
    const project = await forge.project()
    await endOf(await rawClient(await sshHost({ idle_ms: 200 }), key))

    // A machine that stands still for a moment must not end it before the command is there.
    const host = await sshHost({ idle_ms: 1_000, silent_ms: 1_300 })
    const silent = await rawClient(host, key)
    const began = performance.now()
    const channel = await rawChannel(silent, `git-upload-pack '${project.full_path}'`)
    channel.resume()
    await endOf(silent)
    expect(performance.now() - began).toBeGreaterThan(1_200)
  },
)

withSshOnOneEngine('a client that sends a line of a megabyte, or commands with control characters, gets no command', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const client = await rawClient(host, await keyOf(forge.root))
  for (const command of ["git-upload-pack 'a/b'\nid", "git-upload-pack 'a/b\0'", `git-upload-pack '${'a/'.repeat(10_000)}'`]) {
    expect(await rawCommand(client, command)).toMatchObject({ status: 128, stdout: '' })
  }
  client.end()
})

withSsh(
  'garbage from an authenticated client ends its own connection at most',
  inFullRun('2 s of processor. src/transport/ssh parses command lines.'),
  async () => {
    const forge = await testForge()
    const host = await sshHost()
    const key = await keyOf(forge.root)
    const bystander = await rawClient(host, key)
    const types = [1, 2, 3, 4, 5, 7, 20, 21, 30, 31, 50, 60, 61, 80, 81, 82, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 255]
    for (const type of types) {
      const client = await rawClient(host, key)
      // One of its own, so that some of it may be meant for a channel that is there.
      client.exec("git-upload-pack 'a/b'", () => {})
      for (const length of [0, 4, 9, 40, 30_000]) sendPacket(client, Buffer.concat([Buffer.from([type, 0, 0, 0, 0]), randomBytes(length)]))
      for (const words of [strings('exec'), strings('session'), strings('env'), strings('pty-req', 'x')]) {
        sendPacket(client, Buffer.concat([Buffer.from([type, 0, 0, 0, 0]), words]))
        sendPacket(client, Buffer.concat([Buffer.from([type]), words, Buffer.alloc(12, 255)]))
      }
      client.end()
    }
    expect((await rawCommand(bystander, "git-upload-pack 'none/none'")).status).toBe(128)
    bystander.end()
  },
)

interface RawProtocol {
  _packetRW: { write: { allocStart: number; alloc: (length: number) => Buffer; finalize: (packet: Buffer) => Buffer } }
  _cipher: { encrypt: (packet: Buffer) => void }
}

/** Encrypts whatever it is given. */
function sendPacket(client: unknown, payload: Buffer): void {
  const { _packetRW, _cipher } = (client as { _protocol: RawProtocol })._protocol
  const packet = _packetRW.write.alloc(payload.length)
  packet.set(payload, _packetRW.write.allocStart)
  _cipher.encrypt(_packetRW.write.finalize(packet))
}

withSshOnOneEngine('the environment stays outside but for GIT_PROTOCOL', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const client = await rawClient(host, await keyOf(forge.root))
  const project = await forge.project()
  const env = { GIT_TRACE: '1', LD_PRELOAD: '/x', GIT_CONFIG_COUNT: '1', GIT_PROTOCOL: 'version=2' }
  const { stdout, stderr, status } = await resultOf(await rawChannel(client, `git-upload-pack '${project.full_path}'`, { env }), '0000')
  expect([stdout.slice(0, 14), stderr, status]).toEqual(['000eversion 2\n', '', 0])
  client.end()
})

for (const kind of ['ed25519', 'ecdsa'] as const) {
  withSshOnOneEngine(`a security key (${kind}) signs in when it was touched, and not otherwise`, async () => {
    const forge = await testForge()
    const host = await sshHost()
    const user = await forge.user()
    const signIn = async (options: Parameters<typeof securityKey>[1]) => {
      const key = securityKey(kind, options)
      const id = await addKey(key.line, user)
      const { code, stderr } = await sshWithAgent(host, await openAgent([key]))
      await removeKey(id)
      return code === 0 && stderr.includes(`Welcome to Gitstead, @${user.username}!`)
    }
    expect(await signIn({})).toBe(true)
    expect(await signIn({ application: 'ssh:work', flags: 5, counter: 0xffffffff })).toBe(true)
    expect(await signIn({ flags: 0 })).toBe(false)
    expect(await signIn({ flags: 4 })).toBe(false)
    expect(await signIn({ signed_application: 'https://example.com' })).toBe(false)
    expect(await signIn({ sent_counter: 8 })).toBe(false)
  })
}

withSshOnOneEngine('an RSA key signs in with SHA-2; with SHA-1 it opens nothing', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const { file, line } = await keyPair('rsa', 2048)
  await addKey(line, forge.root)
  const signIn = async (algorithm: string) =>
    (await ssh(host, ['-T', '-o', `PubkeyAcceptedAlgorithms=${algorithm}`, ...clientOptions(file)])).code
  expect([await signIn('rsa-sha2-256'), await signIn('ssh-rsa')]).toEqual([0, 255])
})
