/** A git bomb in a project: nothing that is asked of it takes more than git may have, and every answer is a clear one. */
import { execFile } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { flush, packet } from '../../../../test/scripts/git/wire.ts'
import { bombTree, commitOf } from '../../../../test/support/fixtures/bomb.ts'
import { type Forge, openForge, type TestProject } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { gitProcesses, peakMemory } from '../../../../test/support/git-processes.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun } from '../../../../test/support/run/tiers.ts'
import { findProject } from '../../../access/find.ts'
import type { SshKey } from '../../../db/tables.ts'
import { runCommand } from '../../../transport/ssh/run-command.ts'
import { recordPush } from '../pushes/record.ts'

cpuBudget(6, 'Git unfolds trees until it reaches its memory limit.')

const MiB = 1024 ** 2
const memory_bytes = 128 * MiB
/** A process that meets the limit never had more than this, and may have had a little less. */
const bound_bytes = memory_bytes + MiB

const deep = encodeURIComponent('n0/n1/n2/n3/n4/n5/n6/n7/n8/n9')

const zero = '0'.repeat(40)

interface Bombed {
  forge: Forge
  project: TestProject
  small: string
  bomb: string
  /** Another bomb at every path of the first. */
  other: string
  /** The small tree again, after the bombs. */
  after: string
}

/** A project whose default branch had bombs in it, and has none now; `bomb` and `other` are branches. */
async function bombedProject(tip: 'small' | 'bomb'): Promise<Bombed> {
  const forge = await openForge({ limits: { git_memory_bytes: memory_bytes } })
  const project = await forge.project({ files: null, visibility: 'public' })
  const { dir } = project
  const smallTree = await bombTree(dir, 'small\n', 1)
  const small = await commitOf(dir, smallTree, 'Small')
  const bomb = await commitOf(dir, await bombTree(dir), 'Bomb', small)
  const other = await commitOf(dir, await bombTree(dir, 'y\n'), 'Other bomb', bomb)
  const after = await commitOf(dir, smallTree, 'Small again', other)
  for (const [name, oid] of Object.entries({ main: tip === 'bomb' ? bomb : after, bomb, other, small }))
    await git(dir, 'update-ref', `refs/heads/${name}`, oid)
  const { project: now } = await findProject(forge.app.db, String(project.id), forge.root)
  const changes = [{ ref: 'refs/heads/main', before: zero, after: tip === 'bomb' ? bomb : after }]
  await recordPush(forge.app, { project: now, user: forge.root }, changes, null)
  return { forge, project, small, bomb, other, after }
}

test('listing all files of a tree bomb is rejected with 422 before git runs', async () => {
  const { forge, project, small, bomb, other } = await bombedProject('bomb')
  const base = `/projects/${project.id}`
  const paths = [
    `/repository/commits/${bomb}`,
    `/repository/commits/${other}`,
    `/repository/commits?ref_name=${bomb}&with_stats=true`,
    `/repository/commits/${bomb}/diff`,
    `/repository/commits/${other}/diff`,
    `/repository/compare?from=${small}&to=${bomb}`,
    `/repository/compare?from=${bomb}&to=${other}&straight=true`,
    `/repository/archive?sha=${bomb}`,
    `/repository/archive.zip?sha=${bomb}`,
    `/repository/archive.tar?sha=${bomb}`,
    `/repository/tree?ref=${bomb}&recursive=true`,
    `/repository/contributors`,
    `/languages`,
  ]
  const refused = paths.map((path) => [path, 422])
  await forge.drain()

  let answers: unknown[] = []
  const peak_bytes = await peakMemory(project.dir, async () => {
    answers = await Promise.all(paths.map(async (path) => [path, (await forge.anonymous.get(base + path)).status]))
  })

  expect(answers).toEqual(refused)
  expect(peak_bytes).toBeLessThan(bound_bytes)
})

test('a request for a part of a bomb is answered', async () => {
  const { forge, project, bomb, small } = await bombedProject('bomb')
  const base = `/projects/${project.id}/repository`
  const paths = [
    `/tree?ref=${bomb}`,
    `/commits?ref_name=${bomb}`,
    `/commits?ref_name=${bomb}&path=${deep}`,
    `/commits/${bomb}?stats=false`,
    `/commits/${bomb}/refs`,
    `/files/${deep}/raw?ref=${bomb}`,
    `/merge_base?refs[]=${bomb}&refs[]=${small}`,
    `/branches`,
  ]
  const answers = await Promise.all(paths.map(async (path) => [path, (await forge.anonymous.get(base + path)).status]))
  expect(answers).toEqual(paths.map((path) => [path, 200]))

  // Git looks through all of the bomb for a file this one may have been renamed from.
  const blame = `${base}/files/${deep}/blame?ref=${bomb}`
  const peak_bytes = await peakMemory(project.dir, async () => expect((await forge.anonymous.get(blame)).status).toBe(422))
  const again = await forge.cost(async () => expect((await forge.anonymous.get(blame)).status).toBe(422))
  expect([peak_bytes < bound_bytes, again.processes]).toEqual([true, 0])
})

test(
  'git ends when its client leaves, and starts again for the next equal request',
  inFullRun('1 s of processor. A clone that is cut (`bad-requests.test.ts`) leaves no git.'),
  async () => {
    const { forge, project, bomb } = await bombedProject('bomb')
    const url = `${await forge.url()}/api/v4/projects/${project.id}/repository/files/${deep}/blame?ref=${bomb}`
    const blaming = () =>
      gitProcesses(project.dir)
        .filter(({ args }) => args.includes('blame'))
        .map(({ pid }) => pid)
    const leaving = new AbortController()
    const first = fetch(url, { signal: leaving.signal }).catch(() => 'left')
    await expect.poll(blaming, { interval: 5 }).toHaveLength(1)
    const [begun] = blaming()

    const second = fetch(url)
    leaving.abort()

    expect(await first).toBe('left')
    await expect.poll(blaming, { interval: 5 }).not.toContain(begun)
    // Not ended with the first: it got as far as the ceiling.
    expect((await second).status).toBe(422)
    expect(blaming()).toEqual([])
  },
)

test(
  'a bomb in the history costs at most the memory limit, once; the job gives up with 422',
  inFullRun('Half a second of processor. A request for a part of the bomb comes to the same ceiling, above.'),
  async () => {
    const { forge, project } = await bombedProject('small')
    const path = `/projects/${project.id}/repository/contributors`

    const peak_bytes = await peakMemory(project.dir, () => forge.drain())
    const cost = await forge.cost(async () => {
      const { status, body } = await forge.anonymous.get(path)
      expect([status, body]).toEqual([422, { message: expect.stringContaining('more memory') }])
    })

    expect(peak_bytes).toBeLessThan(bound_bytes)
    // Otherwise nothing was tried: this is about what happens when the bomb goes off.
    expect(peak_bytes).toBeGreaterThan(memory_bytes / 2)
    expect(cost.processes).toBe(0)
    expect(await forge.app.db.selectFrom('jobs').select('last_error').where('name', '=', 'repository.count').execute()).toEqual([])
  },
)

test(
  'a bomb can be cloned by HTTP',
  inFullRun('Half a second of processor. Git packs what it has, as for any clone; its memory has the ceiling of every command.'),
  async () => {
    const { forge, project } = await bombedProject('bomb')
    const remote = await forge.remote(project)
    const into = await forge.folder()
    const peak_bytes = await peakMemory(project.dir, () => git(into, 'clone', '--quiet', '--bare', remote, 'clone.git'))
    expect(peak_bytes).toBeLessThan(bound_bytes)
  },
)

test('a fetch with a filter that unfolds trees is refused', async () => {
  const { forge, project, bomb } = await bombedProject('bomb')
  const remote = await forge.remote(project)
  const into = await forge.folder()
  // Combined filters make git read each tree once for every filter.
  const filters = { 'sparse:oid': `sparse:oid=${bomb}:n0/n0/n0/n0/n0/n0/n0/n0/n0/n0`, combine: 'combine:blob:none+tree:9' }
  for (const [kind, filter] of Object.entries(filters)) {
    const args = ['clone', '--quiet', '--bare', `--filter=${filter}`, remote, 'clone.git']
    const fetched = promisify(execFile)('git', args, { cwd: into, timeout: 20_000 })
    await expect(fetched).rejects.toMatchObject({ stderr: expect.stringContaining(`filter '${kind}' not supported`) })
  }
})

test(
  'an archive of a bomb over SSH is rejected before git runs, however the tree is named; others are made',
  inFullRun('Half a second of processor. Archives of the bomb are rejected over HTTP, above.'),
  async () => {
    const { forge, project } = await bombedProject('small')
    await git(project.dir, 'update-ref', 'refs/heads/-bomb', 'bomb')
    const archive = async (...args: string[]) => {
      const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()]
      output.resume()
      const caller = { principal: { kind: 'person' as const, user: forge.root, scopes: ['api' as const] }, key: { id: 1 } as SshKey }
      const gone = new AbortController().signal
      for (const arg of args) input.write(packet(`argument ${arg}\n`))
      input.write(flush)
      // As a client does, the input stays open.
      let status = -1
      const { processes } = await forge.cost(async () => {
        const line = `git-upload-archive '${project.full_path}.git'`
        status = await runCommand(forge.app, caller, line, { input, output, errors, gone, protocol: null })
      })
      return { status, said: String(errors.read() ?? ''), processes }
    }
    const words = 'Gitstead: The tree unfolds to more than 1000000 entries, or has more than 1000 levels\n'
    for (const args of [['bomb'], ['refs/heads/bomb'], ['--format', 'tar', 'bomb:n0/n1', 'n2'], ['--prefix=x/', 'bomb'], ['--', '-bomb']]) {
      const { status, said, processes } = await archive(...args)
      // Only the reader of objects.
      expect([args, status, said, processes <= 1]).toEqual([args, 128, words, true])
    }
    expect(await archive('--format=tar', 'small')).toMatchObject({ status: 0, said: '' })
  },
)
