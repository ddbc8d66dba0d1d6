import { type AddressInfo, createServer } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { testForge } from '../test/support/forge.ts'
import { serve } from './server.ts'

/** A port that somebody else listens on, and a Gitstead that is to start with it. */
async function onTakenPort(ssh_port_asked: boolean) {
  const { app } = await testForge()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { port: ssh_port } = other.address() as AddressInfo
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
  return { ssh_port, lines, start: () => serve({ ...app, log, config: { ...app.config, ssh_port, ssh_port_asked } }) }
}

test('a configured SSH port that is taken stops the start with one line', async () => {
  const { ssh_port, start } = await onTakenPort(true)
  await expect(start()).rejects.toMatchObject({
    name: 'StartRefused',
    message: `SSH can't listen on 127.0.0.1:${ssh_port}: EADDRINUSE; GITSTEAD_SSH_PORT names another port, or off`,
  })
})

test('without a configured SSH port, a taken port disables git over SSH and nothing else; and without mail the log says so once', async () => {
  const { lines, start } = await onTakenPort(false)
  const running = await start()
  const { port } = running.server.server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/-/readiness`)
  await running.stop()
  expect([running.ssh, answer.status]).toEqual([null, 200])
  expect(lines.filter((line) => /^(SSH|mail)/.test(line))).toEqual(['SSH server not started', 'mail: off, as GITSTEAD_SMTP_URL is not set'])
})
