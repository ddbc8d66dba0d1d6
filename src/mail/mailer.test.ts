/** Sending a message to a real SMTP server, and the reaction to each of its answers. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { mailServer } from '../../test/support/mail-server.ts'
import { type Message, openMailer } from './mailer.ts'

const message = (more: Partial<Message> = {}): Message => ({
  to: 'ada@example.com',
  from_name: 'Gitstead',
  subject: 'Subject',
  text: 'Text',
  html: '<p>Text</p>',
  message_id: 'one@example.com',
  in_reply_to: null,
  headers: {},
  ...more,
})

function mailerTo(smtp_url: string, patience_ms?: number) {
  const mailer = openMailer({ smtp_url, from: 'forge@example.com' }, patience_ms)
  onTestFinished(() => mailer.close())
  return mailer
}

/** A server that does this with each connection. */
async function rawServer(speak: (line: string) => string | null): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.write('220 here\r\n')
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
        const answer = speak(line)
        if (answer === null) return void socket.destroy()
        if (answer !== '') socket.write(`${answer}\r\n`)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('line breaks in no field begin a header, a recipient or a body', async () => {
  const { config, received } = await mailServer()
  const evil = 'x\r\nBcc: all@example.com\r\n\r\nBody \u2028 of theirs'
  const sent = await mailerTo(config.smtp_url).send(
    message({
      from_name: evil,
      subject: evil,
      message_id: evil,
      in_reply_to: evil,
      headers: { 'X-GitLab-Project': evil, 'List-Id': `<${evil}>` },
    }),
  )
  expect(sent).toEqual({ kind: 'sent' })
  const [{ to, mail } = { to: '', mail: null }] = received
  expect([received.length, to, mail?.bcc, mail?.text?.trim()]).toEqual([1, 'ada@example.com', undefined, 'Text'])
  expect(mail?.headers.get('x-gitlab-project')).toMatch(/^x Bcc: all@example\.com Body +of theirs$/)
})

test('no name looks like an encoded word to programs, or turns the direction of what follows', async () => {
  const { config, received } = await mailServer()
  const name = '=?utf-8?q?=0d=0aBcc:_x?= \u202egro.elpmaxe'
  await mailerTo(config.smtp_url).send(message({ from_name: name, subject: name }))
  const { mail } = received[0] ?? { mail: null }
  expect([mail?.from?.value[0]?.name, mail?.subject]).toEqual(Array(2).fill('= ?utf-8?q?=0d=0aBcc:_x?= gro.elpmaxe'))
})

test('an address that would be several goes to none of the others', async () => {
  const { config, received } = await mailServer()
  for (const to of [
    'ada@example.com, eve@example.com',
    'ada@example.com\r\nRCPT TO:<eve@example.com>',
    'ada@example.com>,<eve@example.com',
  ])
    await mailerTo(config.smtp_url).send(message({ to }))
  expect(received.map(({ to }) => to)).not.toContain('eve@example.com')
})

test('programs are told not to answer', async () => {
  const { config, received } = await mailServer()
  await mailerTo(config.smtp_url).send(message())
  const { headers } = received[0]?.mail ?? { headers: new Map() }
  expect(['auto-submitted', 'precedence', 'x-auto-response-suppress'].map((name) => headers.get(name))).toEqual([
    'auto-generated',
    'bulk',
    'All',
  ])
})

test('what is worth another attempt, what never is, and what nobody knows', async () => {
  const usual = (line: string) => {
    if (line === 'QUIT') return null
    if (line === 'DATA') return '354 go on'
    return line === '.' || /^(EHLO|MAIL|RCPT)/.test(line) ? '250 fine' : ''
  }
  const answers: Array<[what: string, speak: (line: string) => string | null, kind: string]> = [
    ['all is well', usual, 'sent'],
    ['no such user', (line) => (/^RCPT/.test(line) ? '550 no such user' : usual(line)), 'refused'],
    ['full mailbox', (line) => (/^RCPT/.test(line) ? '452 later' : usual(line)), 'deferred'],
    ['taken for spam', (line) => (line === '.' ? '554 no' : usual(line)), 'refused'],
    ['greeting refused', (line) => (/^(EHLO|HELO)/.test(line) ? '550 not you' : usual(line)), 'deferred'],
    ['gone before the message', (line) => (/^MAIL/.test(line) ? null : usual(line)), 'deferred'],
    ['gone after the message', (line) => (line === '.' ? null : usual(line)), 'unknown'],
  ]
  for (const [what, speak, kind] of answers) {
    const outcome = await mailerTo(await rawServer(speak)).send(message())
    expect([what, outcome.kind]).toEqual([what, kind])
  }
})

test('a server that is away, or speaks no TLS where it should, is tried again later', async () => {
  const url = await rawServer(() => '250 fine')
  for (const smtp_url of ['smtp://127.0.0.1:1', url.replace('smtp:', 'smtps:')])
    expect(await mailerTo(smtp_url).send(message())).toMatchObject({ kind: 'deferred' })
})

test('a server that goes on without an answer is given up in time, and tried again unless it has all of the message', async () => {
  const slow: Array<[mute: RegExp, kind: string]> = [
    [/^EHLO/, 'deferred'],
    [/^RCPT/, 'deferred'],
    [/^\.$/, 'unknown'],
  ]
  for (const [mute, kind] of slow) {
    const url = await rawServer((line) =>
      mute.test(line) ? '' : line === 'DATA' ? '354 go on' : /^(EHLO|MAIL|RCPT)/.test(line) ? '250 fine' : '',
    )
    expect([mute, (await mailerTo(url, 200).send(message())).kind]).toEqual([mute, kind])
  }
})
