/** Small requests to URLs of users: whatever the host does, there is an answer or a reason in time, and no more is read than is wanted. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { inFullRun } from '../../test/support/run/tiers.ts'
import { type Posting, post } from './post.ts'

const servers: Server[] = []
const sockets = new Set<Socket>()
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
})

async function portOf(server: Server): Promise<number> {
  servers.push(server)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/**
 * Sends a request to a host that answers with raw bytes. Returns the status and the part of its body that was read, or the reason for none.
 */
async function outcomeOf(behave: (socket: Socket) => void, posting: Partial<Posting> = {}): Promise<string> {
  const port = await portOf(createServer((socket) => void socket.once('data', () => behave(socket))))
  return asked(`http://host.example:${port}/x`, port, posting)
}

function asked(url: string, port: number, posting: Partial<Posting>): Promise<string> {
  const target = { url, host: 'host.example', port, credentials: null, addresses: ['127.0.0.1'] }
  const asking = { headers: {}, body: Buffer.from('{}'), deadline_ms: 30_000, max_bytes: 1_000, verifies: true, ...posting }
  return post(target, asking).then(
    ({ status, body }) => `${status} ${body.length}`,
    (error: Error) => error.message,
  )
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n'
/** For hosts that let one wait: nothing here takes longer, but for one that is slow itself. */
const soon = { deadline_ms: 150 }

test.each<[string, string, (socket: Socket) => void, Partial<Posting>]>([
  ['never answers', 'No answer within 0.15 seconds', () => {}, soon],
  ['begins an answer and no more', 'No answer within 0.15 seconds', (socket) => void socket.write('HTTP/1.1 200 OK\r\nx: '), soon],
  ['answers and never ends', '200 3', (socket) => void socket.write(`${head}content-length: 1000000000\r\n\r\nabc`), soon],
  ['answers more than is wanted', '200 1000', (socket) => void socket.write(`${head}\r\n${'x'.repeat(500_000)}`), {}],
  ['hangs up', 'The host closed the connection', (socket) => void socket.resetAndDestroy(), {}],
  ['speaks another protocol', 'The host does not speak HTTP', (socket) => void socket.end('220 mail.example.com ESMTP\r\n'), {}],
  ['sends endless headers', 'The host does not speak HTTP', (socket) => void socket.write(`${head}x: ${'x'.repeat(100_000)}`), {}],
])('a host that %s: %s', async (_, outcome, behave, posting) => {
  expect(await outcomeOf(behave, posting)).toBe(outcome)
})

test('a host that sends a byte now and then has no more time than others', async () => {
  const outcome = await outcomeOf((socket) => {
    const timer = setInterval(() => socket.write('x'), 20)
    socket.write('HTTP/1.1 200 OK\r\nx: ')
    socket.once('close', () => clearInterval(timer))
  }, soon)
  expect(outcome).toBe('No answer within 0.15 seconds')
})

const hasOpenssl = () => {
  try {
    return execFileSync('openssl', ['version']).length > 0
  } catch {
    return false
  }
}

const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gitstead-certificate-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Listens with this key and certificate. */
const secureHost = (key: string, cert: string) =>
  portOf(createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => response.end('ok')))

test.skipIf(!hasOpenssl())('a certificate that nobody vouches for is refused, unless certificates need no verification', async () => {
  const folder = temporaryFolder()
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  execFileSync('openssl', ['req', '-x509', ...ec, '-subj', '/CN=host.example', '-keyout', key, '-out', cert], { stdio: 'ignore' })
  const port = await secureHost(key, cert)
  const url = `https://host.example:${port}/`
  expect(await asked(url, port, {})).toBe('The certificate of the host is signed by itself')
  expect(await asked(url, port, { verifies: false })).toBe('200 2')
})

test.skipIf(!hasOpenssl())(
  'a certificate of a trusted authority is accepted until it expires, and only for its name',
  inFullRun('A second of processor: authorities are trusted at the start of a process. The test above has a certificate that is refused.'),
  async () => {
    const folder = temporaryFolder()
    const file = (name: string) => join(folder, name)
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
    openssl('req', '-x509', ...ec, '-subj', '/CN=Authority', '-keyout', 'ca.key', '-out', 'ca.pem')
    openssl('req', '-new', ...ec, '-subj', '/CN=host.example', '-keyout', 'key.pem', '-out', 'request.pem')
    const sign = async (name: string, host: string, days: string) => {
      writeFileSync(file('names'), `subjectAltName=DNS:${host}`)
      const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names', '-days', days]
      openssl('x509', '-req', '-in', 'request.pem', '-out', name, ...by)
      return secureHost(file('key.pem'), file(name))
    }
    const ports = [
      await sign('good.pem', 'host.example', '1'),
      await sign('expired.pem', 'host.example', '-1'),
      await sign('other.pem', 'other.example', '1'),
    ]
    const script = `
      import { post } from ${JSON.stringify(new URL('./post.ts', import.meta.url).href)}
      for (const port of process.argv.slice(1)) {
        const target = { url: 'https://host.example:' + port + '/', host: 'host.example', port, credentials: null, addresses: ['127.0.0.1'] }
        const posting = { headers: {}, body: Buffer.from('{}'), deadline_ms: 30_000, max_bytes: 1_000, verifies: true }
        console.log(await post(target, posting).then(({ status }) => status, (error) => error.message))
      }`
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', script, ...ports.map(String)],
      { env: { ...process.env, NODE_EXTRA_CA_CERTS: file('ca.pem') } },
    )
    expect(stdout.trim().split('\n')).toEqual([
      '200',
      'The certificate of the host has expired',
      'The certificate of the host is for another name',
    ])
  },
)
