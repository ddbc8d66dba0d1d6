/** Clients that send more than they may: before they have signed in, and beyond what the other side has room for. */
import { expect, test } from 'vitest'
import { testForge } from '../../support/forge.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { clientOptions, endOf, hasSsh, keyOf, rawChannel, rawClient, rawCommand, resultOf, ssh, sshHost } from '../../support/ssh.ts'
import { processesOn, runningOn } from '../git/wire.ts'

const withSsh = test.skipIf(!hasSsh)

withSsh('who has not signed in may send only so much; who has, any amount', async () => {
  const { root } = await testForge()
  const key = await keyOf(root)
  // Less than it takes to agree on keys.
  expect((await ssh(await sshHost({ unsigned_bytes: 1_000 }), ['-T', ...clientOptions(key.file)])).code).toBe(255)
  const client = await rawClient(await sshHost({ unsigned_bytes: 20_000 }), key)
  for (let sent = 0; sent < 10; sent += 1) {
    expect((await rawCommand(client, `git-upload-pack '${'a'.repeat(3_000)}/b'`)).stderr).toMatch(/could not be found/)
  }
  client.end()
})

withSsh('a protocol that no client of git would ask for does not reach git', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const client = await rawClient(await sshHost(), await keyOf(forge.root))
  const spoken = async (GIT_PROTOCOL: string) => {
    const channel = await rawChannel(client, `git-upload-pack '${project.full_path}'`, { env: { GIT_PROTOCOL } })
    return (await resultOf(channel, '0000')).stdout.startsWith('000eversion 2\n') ? 2 : 0
  }
  expect([await spoken('version=2'), await spoken('version=2:$(id)'), await spoken(`version=2${':x'.repeat(100)}`)]).toEqual([2, 0, 0])
  client.end()
})

/** A fetch whose git has been brought to a standstill. */
async function halted() {
  const forge = await testForge()
  const project = await forge.project()
  // Otherwise the git of a background job may be stopped with it, and stays.
  await forge.drain()
  const client = await rawClient(await sshHost(), await keyOf(forge.root))
  const channel = await rawChannel(client, `git-upload-pack '${project.full_path}'`)
  await expect.poll(() => processesOn(project.dir)).not.toEqual([])
  for (const { pid } of runningOn(project.dir)) process.kill(pid, 'SIGSTOP')
  return { project, client, send: (bytes: number) => sendAnyway(client, channel, bytes) }
}

/** The library's own client would wait for room. */
function sendAnyway(client: unknown, channel: unknown, bytes: number): void {
  const { _protocol: protocol } = client as { _protocol: { channelData: (id: number, data: Buffer) => void } }
  const { id } = (channel as { outgoing: { id: number } }).outgoing
  const piece = Buffer.alloc(32_000, '0')
  for (let sent = 0; sent < bytes; sent += piece.length) protocol.channelData(id, piece)
}

withSsh(
  'a client that exceeds its channel window is disconnected, and its git process ends',
  inFullRun('2 s of processor. `ssh-flood` bounds what is sent before a sign-in; HTTP has a client that does not read.'),
  async () => {
    const { project, client, send } = await halted()
    const ended = endOf(client)
    send(12 * 1024 * 1024)
    await ended
    await expect.poll(() => processesOn(project.dir)).toEqual([])
  },
)

withSsh(
  'git ends with its connection, even while something for it is still unread',
  inFullRun('1 s of processor. Git ends where a client exceeds its window, above.'),
  async () => {
    const { project, client, send } = await halted()
    send(1.9 * 1024 * 1024)
    await new Promise((resolve) => client.exec("git-upload-pack 'none/none'", (_, channel) => channel?.resume().on('close', resolve)))
    client.destroy()
    await expect.poll(() => processesOn(project.dir)).toEqual([])
  },
)
