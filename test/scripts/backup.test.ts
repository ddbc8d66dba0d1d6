/** Backups of a server that is being written to, as an administrator makes them; and what can go wrong with that. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { openProgress } from '../../src/backup/progress.ts'
import { restoreFrom } from '../../src/backup/restore.ts'
import { verifyGeneration } from '../../src/backup/verify.ts'
import { openDatabase } from '../../src/db/database.ts'
import type { Value } from '../../src/db/snapshot.ts'
import { jobs } from '../../src/features/index.ts'
import {
  filesBelow,
  generationsIn,
  gitstead,
  outside,
  type Rows,
  refsIn,
  repositoryDir,
  rowsOf,
  rowsSaved,
  withoutOwners,
} from '../support/backups.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { engine, freshDatabase } from '../support/database.ts'
import { oidOf } from '../support/fixtures/lfs.ts'
import { git, tryGit } from '../support/git.ts'
import { gitsteadProgram } from '../support/program.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { makeProject, startWriters } from './crash/backup-writers.ts'
import { type ServerProcess, startServer } from './server-process.ts'

/** Backups under writes: few in each run of the tests, more when asked for. */
const rounds = Number(process.env.GITSTEAD_TEST_BACKUPS ?? 1)

/** A data folder and a database, and the settings that lead there: empty, or as a first start leaves them. */
async function place(isPrepared = false) {
  const home = join(await outside(), 'home')
  const database = await (isPrepared ? prepareDataFolder(home) : freshDatabase(home))
  onTestFinished(() => database.drop())
  const { url, location } = database
  return {
    home,
    location,
    options: { home, ...(url && { database_url: url }) },
    env: { GITSTEAD_HOME: home, ...(url && { GITSTEAD_DATABASE_URL: url }) },
  }
}

type Place = Awaited<ReturnType<typeof place>>

async function startForge(options: Place['options']): Promise<ServerProcess> {
  const server = await startServer(options)
  for (const name of ['one', 'two']) await makeProject(server, name)
  return server
}

const quietly = () => openProgress(true, { write: () => true, isTTY: false })

/** As the command does, without a process of its own. */
const restore = (to: Place, generation: string) =>
  restoreFrom(to.env, generation, { verify: false, progress: quietly(), signal: new AbortController().signal })

const saved = (folder: string, env: Record<string, string>, ...options: string[]) =>
  gitstead(['admin', 'backup', folder, '--quiet', ...options], env)

test('backups of a forge under writes are consistent: refs of rows, rows of refs; then exact once it stands still', {
  ...inFullRun('20 s of processor. src/backup tests backups and restores; a killed server is in crash.test.ts.'),
  timeout: 600_000,
}, async () => {
  const from = await place(true)
  const server = await startForge(from.options)
  const folder = join(await outside(), 'backups')
  const writers = startWriters(server, await outside())
  await writers.busy(2)
  const before: Array<Array<{ ref: string; oid: string }>> = []
  for (let number = 0; number < rounds; number += 1) {
    before.push([...writers.acknowledged])
    expect(await saved(folder, from.env, '--verify')).toMatchObject({ code: 0, err: '' })
    await writers.busy(1)
  }
  await writers.stop()
  expect(writers.failures).toEqual([])

  const generations = await generationsIn(folder)
  expect(generations.length).toBe(rounds)
  for (const [index, generation] of generations.entries()) {
    const to = await place()
    await restore(to, generation)
    const rows = await rowsOf(to.location)
    expect(withoutOwners(rows)).toEqual(withoutOwners(await rowsSaved(generation)))
    const recorded = new Set(rows.events?.map(({ ref, after_oid }) => `${ref} ${after_oid}`))
    expect(before[index]?.filter(({ ref, oid }) => !recorded.has(`${ref} ${oid}`))).toEqual([])
    expect(await differences(to.home, rows)).toEqual([])
    if (index === generations.length - 1) await expectLive(to, rows)
  }

  await settled(from.location)
  const last = await saved(folder, from.env)
  expect(last.code).toBe(0)
  await server.stop()
  const to = await place()
  expect((await gitstead(['admin', 'restore', folder, '--verify', '--quiet'], to.env)).code).toBe(0)
  const [live, restored] = [await rowsOf(from.location), await rowsOf(to.location)]
  // The server writes the counts of the queue when it stops, after the backup.
  const moving = ['jobs', 'queue_totals']
  for (const table of Object.keys(live).filter((name) => !moving.includes(name)))
    expect([table, restored[table]]).toEqual([table, live[table]])
  for (const { id } of live.projects ?? []) expect(await refsIn(to.home, Number(id))).toEqual(await refsIn(from.home, Number(id)))
  expect(await differences(to.home, restored)).toEqual([])
})

/** Jobs that change files alone, and those that look every few minutes whether there is anything to do. */
const withoutRows = [
  ...['pushes.reconcile', 'projects.create_repository', 'projects.remove_repository', 'housekeeping.project'],
  ...jobs.flatMap(({ name, every_ms }) => (every_ms !== null && every_ms < 300_000 ? name : [])),
]

/** Waits until nothing is under way, so that what follows changes no row. */
async function settled(location: string): Promise<void> {
  const db = openDatabase(location)
  onTestFinished(() => db.destroy())
  const busy = () =>
    db
      .selectFrom('jobs')
      .select('name')
      .where('state', '=', 'ready')
      .where('run_at', '<=', new Date(Date.now() + 200_000).toISOString())
      .where('name', 'not in', withoutRows)
      .execute()
  while ((await busy()).length > 0) await setTimeout(100)
}

/** Refs that aren't where the last of their events left them. One writer moves each ref, so the last is the one with the greatest id. */
async function differences(home: string, rows: Rows): Promise<unknown[]> {
  const found: unknown[] = []
  for (const { id, default_branch, forked_from_id } of rows.projects ?? []) {
    const pushed = tipsOf(rows, Number(id))
    const refs = await stat(repositoryDir(home, Number(id))).then(
      () => refsIn(home, Number(id)),
      () => null,
    )
    if (refs === null) {
      // Its queue makes it.
      if (default_branch !== null) found.push([id, 'has no repository'])
      continue
    }
    if (default_branch !== null && refs.HEAD !== `refs/heads/${default_branch}`) found.push([id, refs.HEAD, default_branch])
    for (const [ref, oid] of pushed) if (oid !== undefined && (refs[ref] ?? null) !== oid) found.push([id, ref, refs[ref], oid])
    // Forks have one event, of their default branch.
    const untold = Object.keys(refs).filter((ref) => ref !== 'HEAD' && !pushed.has(ref))
    if (forked_from_id === null && untold.length > 0) found.push([id, untold])
  }
  return found
}

/** The refs of a project by its events; undefined for those that were being changed. */
function tipsOf({ events = [], push_intents = [] }: Rows, project_id: number): Map<string, Value | undefined> {
  const tips = new Map<string, Value | undefined>()
  const inOrder = events.filter((event) => event.project_id === project_id).toSorted((a, b) => Number(a.id) - Number(b.id))
  for (const { ref, after_oid, action } of inOrder) if (action === 'pushed') tips.set(String(ref), after_oid)
  for (const { project_id: id, changes } of push_intents) {
    if (id === project_id) for (const { ref } of JSON.parse(String(changes)) as Array<{ ref: string }>) tips.set(ref, undefined)
  }
  return tips
}

/** A server on what was restored: nothing is left to settle, clones work, large files and uploads are there. */
async function expectLive(to: Place, rows: Rows): Promise<void> {
  const server = await startServer(to.options)
  const db = openDatabase(to.location)
  const open = () => db.selectFrom('push_intents').select('id').execute()
  while ((await open()).length > 0) await setTimeout(50)
  await db.destroy()
  expect(await differences(to.home, await rowsOf(to.location))).toEqual([])
  const work = await outside()
  await git(work, 'clone', '--quiet', '--mirror', server.remote('one'), join(work, 'one'))
  expect((await tryGit(join(work, 'one'), 'fsck', '--connectivity-only')).code).toBe(0)
  for (const { oid } of (rows.lfs_objects ?? []).slice(-3)) {
    const headers = { authorization: `Basic ${Buffer.from('root:root-token-0123456789').toString('base64')}` }
    const answer = await fetch(`${server.url}/root/one.git/info/lfs/objects/${oid}`, { headers })
    expect([answer.status, oidOf(Buffer.from(await answer.arrayBuffer()))]).toEqual([200, oid])
  }
  for (const { secret, filename, size } of (rows.uploads ?? []).slice(-3)) {
    const answer = await fetch(`${server.url}/root/one/uploads/${secret}/${filename}`, {
      headers: { 'private-token': 'root-token-0123456789' },
    })
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, size])
  }
  expect(await server.stop()).toBe(0)
}

test('a backup that is killed leaves those before it as they were, and the next one clears up', {
  ...inFullRun('7 s of processor. src/backup tests what a backup leaves.'),
  timeout: 300_000,
}, async () => {
  const from = await place(true)
  const server = await startForge(from.options)
  const folder = join(await outside(), 'backups')
  expect((await saved(folder, from.env)).code).toBe(0)
  const [first] = (await generationsIn(folder)) as [string]
  const files = await filesBelow(first)
  const [node, main] = await gitsteadProgram()
  for (const phase of ['database', 'lists']) {
    const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, ...from.env }
    const child = spawn(node, [main, 'admin', 'backup', folder], { env, stdio: 'ignore' })
    const ended = once(child, 'exit')
    const hasBegun = async () => {
      const draft = (await readdir(folder)).find((name) => name.endsWith('.unfinished'))
      return (
        child.exitCode !== null || (draft !== undefined && (await readdir(join(folder, draft)).catch((): string[] => [])).includes(phase))
      )
    }
    while (!(await hasBegun())) await setTimeout(1)
    child.kill('SIGKILL')
    await ended
    expect([...(await filesBelow(first))].map(([name, { size, ino }]) => [name, size, ino])).toEqual(
      [...files].map(([name, { size, ino }]) => [name, size, ino]),
    )
    const progress = quietly()
    await verifyGeneration(first, progress)
    expect(progress.faults).toEqual([])
  }
  expect((await saved(folder, from.env, '--verify')).code).toBe(0)
  expect((await readdir(folder)).filter((name) => name.endsWith('.unfinished'))).toEqual([])

  // One that is told to stop clears up by itself, its lease too.
  const before = await leases(from.location)
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, ...from.env }
  const child = spawn(node, [main, 'admin', 'backup', folder, '--verify'], { env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  while (child.exitCode === null && !(await readdir(folder)).some((name) => name.endsWith('.unfinished'))) await setTimeout(1)
  child.kill('SIGTERM')
  expect((await ended)[1]).toBe(null)
  expect((await readdir(folder)).filter((name) => name.endsWith('.unfinished'))).toEqual([])
  expect(await leases(from.location)).toEqual(before)
  const to = await place()
  await restore(to, first)
  expect((await rowsOf(to.location)).projects?.length).toBe(2)
  await server.stop()
})

/** Leases of backups, both killed and running. */
async function leases(location: string): Promise<unknown[]> {
  const db = openDatabase(location)
  const rows = await db.selectFrom('backups').select('id').execute()
  await db.destroy()
  return rows
}

const works = (program: string, ...args: string[]) =>
  promisify(execFile)(program, args).then(
    () => true,
    () => false,
  )

/** Whether a small disk can be made: by a namespace of one's own. */
const canMount = await works('unshare', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', '/mnt')

test.skipIf(!canMount || engine === 'postgres')(
  'a full disk ends a backup with one clear line; those before it are as they were',
  { ...inFullRun('3 s of processor. full-disk.test.ts fills the disk of a server.'), timeout: 300_000 },
  async () => {
    const from = await place(true)
    const server = await startForge(from.options)
    const folder = await outside()
    const script = `
    mount -t tmpfs -o size=4m none ${folder} || exit 9
    "$@" admin backup ${folder} --quiet || exit 8
    head -c 100m /dev/zero > ${folder}/filler 2>/dev/null
    "$@" admin backup ${folder} --quiet; echo "status $?"
    ls ${folder}
    "$@" admin verify-backup ${folder} --quiet; echo "status $?"
    rm ${folder}/filler
    "$@" admin backup ${folder} --quiet; echo "status $?"`
    const program = await gitsteadProgram()
    const run = promisify(execFile)('unshare', ['--map-root-user', '--mount', 'sh', '-c', script, 'sh', ...program], {
      env: { PATH: process.env.PATH, ...from.env },
    })
    const { stdout, stderr } = await run
    expect(stderr.trim()).toBe(`gitstead: no space is left in ${folder}; the backups before this one are as they were`)
    expect(stdout.match(/status \d/g)).toEqual(['status 1', 'status 0', 'status 0'])
    expect(stdout).not.toContain('unfinished')
    await server.stop()
  },
)

const nobody = 65_534
const asNobody = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
const canChange = process.getuid?.() === 0 && (await works('setpriv', ...asNobody, process.execPath, '--version'))

/** Lets other users pass through the folders of tests above a path. */
async function letIn(path: string): Promise<void> {
  for (let above = dirname(path); above.startsWith(tmpdir()) && above !== tmpdir(); above = dirname(above)) await chmod(above, 0o711)
}

test.skipIf(!canChange || engine === 'postgres')(
  'root backs up and restores what belongs to another user, and leaves nothing in the data folder that is not theirs',
  { ...inFullRun('4 s of processor. That the commands work is tested below, and by src/backup.'), timeout: 300_000 },
  async ({ skip }) => {
    const from = await place()
    const program = await gitsteadProgram()
    for (const path of [from.home, dirname(program[1])]) await letIn(path)
    if (!(await works('setpriv', ...asNobody, ...program, '--version'))) skip('the program is in a folder that another user cannot read')
    const own = async (home: string) => {
      await mkdir(home)
      await letIn(home)
      await chown(home, nobody, nobody)
    }
    await own(from.home)
    const limit = `exec setpriv ${asNobody.join(' ')} "$@"; `
    const server = await startForge({ ...from.options, limit } as Place['options'])
    const folder = join(await outside(), 'backups')
    const outcome = await saved(folder, from.env, '--verify')
    expect(outcome).toMatchObject({ code: 0, err: '' })
    expect(outcome.out).toMatch(/is complete: \d+ rows, 2 repositories/)
    const owners = async (home: string) => new Set([...(await filesBelow(home)).values()].map(({ uid }) => uid))
    const made = await gitstead(['admin', 'create-user', 'ada', '--email', 'ada@example.com', '--password', 'difference-engine'], from.env)
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(await owners(from.home)).toEqual(new Set([nobody]))
    expect((await server.send('POST', '/projects/1/repository/branches', { branch: 'after', ref: 'main' })).status).toBe(201)
    await server.stop()

    const to = await place()
    await own(to.home)
    expect((await gitstead(['admin', 'restore', folder], to.env)).code).toBe(0)
    expect(await owners(to.home)).toEqual(new Set([nobody]))
    const again = await startServer({ ...to.options, limit })
    expect((await again.send('POST', '/projects/1/repository/branches', { branch: 'after', ref: 'main' })).status).toBe(201)
    await again.stop()
  },
)

test.runIf(engine === 'sqlite')(
  'the commands say what is wrong in a line, and exit with 1',
  inFullRun('1 s of processor. `src/backup` refuses the same; each line here is a process.'),
  async () => {
    const folder = await outside()
    const env = { GITSTEAD_HOME: join(folder, 'nothing') }
    const lineOf = async (...args: string[]) => {
      const { code, out, err } = await gitstead(args, env)
      expect([code, out, err.split('\n').length]).toEqual([1, '', 2])
      return err
    }
    expect(await lineOf('admin', 'backup', join(folder, 'b'))).toMatch(/^gitstead: there is nothing to back up: .*nothing/)
    expect(await lineOf('admin', 'backup', join(folder, 'b'), '--keep', '0')).toMatch(
      /^gitstead: --keep must be a number from 1 to 999999 \(got "0"\)/,
    )
    expect(await lineOf('admin', 'restore', join(folder, 'b'))).toMatch(/^gitstead: folder .* does not exist/)
    expect(await lineOf('admin', 'verify-backup', folder)).toMatch(/^gitstead: no complete backup in/)
    expect(await readdir(folder)).toEqual([])
  },
)
