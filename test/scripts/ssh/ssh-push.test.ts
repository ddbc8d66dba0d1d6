import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listenForSsh } from '../../../src/transport/ssh/server.ts'
import { engine } from '../../support/database.ts'
import { type TestProject, testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { endOf, hasSsh, keyOf, type RawResult, rawChannel, rawClient, resultOf, sshHost, withKey } from '../../support/ssh.ts'
import { commit, contentsOf, packet, packOf, processesOn, pushBody, workTree } from '../git/wire.ts'
import { startServer } from '../server-process.ts'

const withSsh = test.skipIf(!hasSsh)

/** Reads the refs that a push begins with. */
function refsSeen(channel: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    let seen = ''
    channel.on('data', (data: Buffer) => {
      seen += data.toString('latin1')
      if (seen.endsWith('0000')) resolve()
    })
  })
}

async function heavy(mebibytes: number): Promise<string> {
  const dir = await workTree()
  await git(dir, 'config', 'core.compression', '0')
  await git(dir, 'config', 'core.bigFileThreshold', '1m')
  await writeFile(join(dir, 'x.bin'), randomBytes(mebibytes * 1024 * 1024))
  await commit(dir, {})
  return dir
}

async function begunPush(project: TestProject, body: Buffer) {
  const forge = await testForge()
  const host = await sshHost()
  const client = await rawClient(host, await keyOf(forge.root))
  const channel = await rawChannel(client, `git-receive-pack '${project.full_path}'`)
  await refsSeen(channel)
  await new Promise((resolve) => channel.write(body, resolve))
  return { client, host }
}

withSsh('a client that is gone in the middle of a push leaves nothing', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const before = await contentsOf(project.dir)
  const dir = await heavy(3)
  const body = pushBody({ after: await git(dir, 'rev-parse', 'main'), ref: 'refs/heads/main' }, await packOf(dir, 'main'))
  const { client } = await begunPush(project, body.subarray(0, 1_000_000))
  client.destroy()
  await expect.poll(() => processesOn(project.dir)).toEqual([])
  // The pack that it had received so far is removed once git has ended.
  await expect.poll(() => contentsOf(project.dir)).toEqual(before)
})

withSsh('a client that is gone after it has sent everything leaves a push that is complete', async () => {
  const forge = await testForge()
  const project = await forge.project({ files: null })
  const dir = await heavy(3)
  const head = await git(dir, 'rev-parse', 'main')
  const { client } = await begunPush(project, pushBody({ after: head, ref: 'refs/heads/main' }, await packOf(dir, 'main')))
  // Its last bytes are on their way before it goes.
  client.end()
  const events = () =>
    forge.app.db.selectFrom('events').select('author_id').where('project_id', '=', project.id).where('action', '=', 'pushed').execute()
  await expect.poll(() => tryGit(project.dir, 'rev-parse', 'main').then(({ stdout }) => stdout.trim())).toBe(head)
  await expect.poll(async () => (await events()).length).toBeGreaterThan(0)
  expect((await forge.as(forge.root).get(`/projects/${project.id}`)).body.default_branch).toBe('main')
})

withSsh('a push that isn’t one is refused by git, and the connection goes on', async () => {
  const forge = await testForge()
  const host = await sshHost()
  const project = await forge.project()
  const before = await contentsOf(project.dir)
  const client = await rawClient(host, await keyOf(forge.root))
  const send = async (body: string | Buffer): Promise<RawResult> =>
    resultOf(await rawChannel(client, `git-receive-pack '${project.full_path}'`), body)
  expect((await send('rubbish that is no packet line')).status).toBe(128)
  const broken = pushBody({ after: 'a'.repeat(40), ref: 'refs/heads/x' }, Buffer.from('PACKrubbish'))
  expect((await send(broken)).stdout).toMatch(/unpack /)
  expect((await send(packet('x'))).status).not.toBe(0)
  expect((await send('0000')).status).toBe(0)
  expect(await contentsOf(project.dir)).toEqual(before)
  client.end()
})

withSsh('a stop waits for what is under way, takes nothing new, and cuts what takes too long', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const key = await keyOf(forge.root)
  const command = `git-upload-pack '${project.full_path}'`

  const patient = await sshHost()
  const [working, idle] = [await rawClient(patient, key), await rawClient(patient, key)]
  const channel = await rawChannel(working, command)
  const idleEnds = endOf(idle)
  const stopped = patient.server.close()
  await idleEnds
  await expect(rawChannel(working, command)).rejects.toThrow()
  await expect(rawClient(patient, key)).rejects.toThrow()
  expect((await resultOf(channel, '0000')).status).toBe(0)
  await stopped

  const hasty = await sshHost({ stop_ms: 100 })
  const client = await rawClient(hasty, key)
  const stuck = await rawChannel(client, command)
  stuck.resume()
  const cut = endOf(client)
  await hasty.server.close()
  await cut
  await expect.poll(() => processesOn(project.dir)).toEqual([])
})

test('a port that is taken is told in one line', async () => {
  const forge = await testForge()
  const taken = createServer()
  const port = await new Promise<number>((resolve) =>
    taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port)),
  )
  await expect(listenForSsh(forge.app, { host: '127.0.0.1', port })).rejects.toMatchObject({
    name: 'StartRefused',
    message: `SSH can't listen on 127.0.0.1:${port}: EADDRINUSE; GITSTEAD_SSH_PORT names another port, or off`,
  })
  taken.close()
})

test.skipIf(!hasSsh || engine !== 'sqlite')(
  'a push of 60 MB, its clone, and a client that reads nothing, pass through a server that hardly grows',
  inFullRun('5 s of processor. The others push small things over SSH; only the full run looks at memory.'),
  async () => {
    const server = await startServer()
    const key = await keyOf((await testForge()).root)
    await server.send('POST', '/user/keys', { title: 'test', key: key.line })
    const host = { port: server.ssh_port }
    const remote = `ssh://git@127.0.0.1:${server.ssh_port}/root/heavy.git`
    const dir = await heavy(60)
    const before = await server.memory('VmRSS')
    await git(dir, ...withKey(key), 'push', '--quiet', remote, 'main')
    await git(dir, ...withKey(key), 'clone', '--quiet', '--bare', remote, `${dir}/clone`)

    // A window of four gigabytes, and nobody who reads: the socket itself is told to stop.
    const client = await rawClient(host, key)
    const channel = await rawChannel(client, "git-upload-pack 'root/heavy'")
    await refsSeen(channel)
    widen(client, channel)
    pauseSocket(client)
    channel.write(Buffer.concat([packet(`want ${await git(dir, 'rev-parse', 'main')}\n`), Buffer.from('0000'), packet('done\n')]))
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    const grown = (await server.memory('VmHWM')) - before
    client.destroy()
    await server.stop()
    expect(grown / 1024 / 1024).toBeLessThan(64)
  },
)

/** Widens a channel's window beyond the limit, which the library's own client never does. */
function widen(client: unknown, channel: unknown): void {
  const { _protocol: protocol } = client as { _protocol: { channelWindowAdjust: (id: number, bytes: number) => void } }
  protocol.channelWindowAdjust((channel as { outgoing: { id: number } }).outgoing.id, 0xf0000000)
}

function pauseSocket(client: unknown): void {
  ;(client as { _sock: NodeJS.ReadableStream })._sock.pause()
}
