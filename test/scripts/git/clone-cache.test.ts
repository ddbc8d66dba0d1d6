/** Clones of what was cloned before: given from memory, and never anything but what git would have given. */
import { randomBytes } from 'node:crypto'
import { readdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Forge, type TestProject, testForge } from '../../support/forge.ts'
import { git, tryGit } from '../../support/git.ts'
import { inFullRun, isGate } from '../../support/run/tiers.ts'
import { clone, commit } from './wire.ts'

async function bigProject(): Promise<{ forge: Forge; project: TestProject; remote: string }> {
  const forge = await testForge()
  const noise = () => randomBytes(400 * 1024)
  const project = await forge.project({ commits: [{ files: { a: noise() } }, { files: { a: noise() } }, { files: { a: noise() } }] })
  await git(project.dir, 'tag', '-m', 'annotated', 'v1', 'main')
  return { forge, project, remote: await forge.remote(project, forge.root) }
}

/** How many answers of a project are kept, when none is being written. */
async function kept({ dir }: TestProject): Promise<number> {
  const names = await readdir(join(dir, '.remembered')).catch(() => [])
  return names.some((name) => name.endsWith('.new')) ? -1 : names.length
}

const answersOf = async ({ dir }: TestProject) =>
  (await readdir(join(dir, '.remembered')).catch(() => [])).map((name) => join(dir, '.remembered', name))

async function setTimesOfUse(project: TestProject, time: Date): Promise<void> {
  for (const file of await answersOf(project)) await utimes(file, time, time)
}

const timesOfUse = async (project: TestProject) => Promise.all((await answersOf(project)).map(async (file) => (await stat(file)).mtimeMs))

const clones: Array<[string, string[]]> = [
  ['whole', []],
  ['without blobs', ['--filter=blob:none', '--no-checkout']],
  ['shallow', ['--depth=1']],
  ['of one branch, with the tags on it', ['--single-branch']],
  ['by the old protocol', ['-c', 'protocol.version=0']],
]

// In the gate one that is kept and one that is too small.
test.each(isGate ? clones.slice(0, 2) : clones)(
  'a second clone, %s, is as the first, and from memory where that is worth it',
  async (_, options) => {
    const { project, remote } = await bigProject()
    const first = await clone(remote, ...options)
    // Three commits and trees without their blobs are too small.
    const isKept = !options.includes('--filter=blob:none')
    await expect.poll(() => kept(project)).toBe(isKept ? 1 : 0)
    await setTimesOfUse(project, new Date(0))
    const copies = [first, await clone(remote, ...options)]

    for (const used of await timesOfUse(project)) expect(used).toBeGreaterThan(Date.now() - 60_000)
    const [one, two] = await Promise.all(copies.map((copy) => git(copy, 'for-each-ref', '--format=%(objectname) %(refname)')))
    expect(two).toBe(one)
    for (const copy of copies) expect((await tryGit(copy, 'fsck', '--full')).code).toBe(0)
  },
)

test('after a push the next clone has what was pushed, and after a deletion a clone has less', async () => {
  const { project, remote } = await bigProject()
  const dir = await clone(remote)
  await expect.poll(() => kept(project)).toBe(1)
  const head = await commit(dir, { new: 'new' })
  await git(dir, 'push', '--quiet', 'origin', 'HEAD:main', 'HEAD:side')
  expect(await git(await clone(remote), 'rev-parse', 'HEAD', 'origin/side')).toBe(`${head}\n${head}`)
  await git(dir, 'push', '--quiet', 'origin', ':side')
  expect((await tryGit(await clone(remote), 'rev-parse', '--verify', '--quiet', 'origin/side')).code).not.toBe(0)
})

test('who may not read a project is given nothing of what others cloned', async () => {
  const { forge, project, remote } = await bigProject()
  await clone(remote)
  await expect.poll(() => kept(project)).toBe(1)
  const stranger = await forge.user()
  const refused = await tryGit(await forge.folder(), 'clone', await forge.remote(project, stranger), 'copy')
  expect([refused.code, /could not be found/.test(refused.stderr)]).toEqual([128, true])
})

test(
  'clones during and after housekeeping are whole',
  inFullRun('Half a second of processor. `housekeeping.test.ts`: a full repack evicts the clone cache.'),
  async () => {
    const { forge, project, remote } = await bigProject()
    const before = await git(project.dir, 'rev-list', '--all', '--objects')
    await forge.as(forge.root).post(`/projects/${project.id}/housekeeping`)
    const [, ...copies] = await Promise.all([forge.drain(), clone(remote), clone(remote), clone(remote)])
    for (const copy of [...copies, await clone(remote)]) {
      expect(await git(copy, 'rev-list', '--all', '--objects')).toBe(before)
    }
  },
)

test('with the flag clone_cache off nothing is kept, but for the project it is on for', async () => {
  const [off, on] = [await bigProject(), await bigProject()]
  const root = off.forge.as(off.forge.root)
  await root.post('/features/clone_cache', { value: false })
  await root.post('/features/clone_cache', { value: true, project: on.project.full_path })
  try {
    for (const { remote } of [off, on]) await clone(remote)
    await expect.poll(() => kept(on.project)).toBe(1)
    expect(await kept(off.project)).toBe(0)
  } finally {
    await root.delete('/features/clone_cache')
  }
})
