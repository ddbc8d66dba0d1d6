/** Merges by `.gitattributes`, against what git does in a working tree. */
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { git as realGit, tryGit } from '../../../test/support/git.ts'
import { inFullRun } from '../../../test/support/run/tiers.ts'
import { inQuarantine } from '../objects/quarantine.ts'
import { readCommit } from '../objects/read.ts'
import { createRepository, type Git, openGit, type Repo } from '../repository/repository.ts'
import { cherryPickOnto, revertOnto } from './cherry-pick.ts'
import { conflictsBetween, sectionsOf, withMarkers } from './conflicts.ts'
import { mergeTreeOf } from './merge-tree.ts'
import { rebase } from './rebase.ts'

let home: string
let work: string
let git: Git
let repo: Repo
const started: string[] = []

/** Each side adds a line at the same place: how such a file is merged tells which driver did it. */
const files = `plain log a.bin a.text a.unset a.custom a.changes a.pic a.wide docs/all docs/deep/all docs/plain.txt
  sub/a.log sub/anchored sub/x/anchored sub/a.bin sub/deep/a.log sub/deep/b.log other/sub/a.log a.crlf b.crlf c.raw union.raw moved.log
  spaced\u00a0name ünï`
  .split(/[ \n]+/)
  .filter((name) => name !== '')

const attributes = {
  '.gitattributes': `/log merge=union
*.bin merge=binary
*.text merge=text
*.unset -merge
*.custom merge=mine
[attr]history merge=union
*.changes history
*.pic binary
*.wide conflict-marker-size=12
docs/** merge=union
docs/plain.txt !merge
*.crlf text eol=crlf
b.crlf merge=union
*.raw -text
union.raw merge=union
ünï merge=union
`,
  'sub/.gitattributes': '*.log merge=union\n/anchored merge=binary\na.bin merge=union\n[attr]nested merge=union\n',
  'sub/deep/.gitattributes': 'a.log -merge\nb.log !merge\n',
}

async function write(contents: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(dirname(join(work, path)), { recursive: true })
    await writeFile(join(work, path), content)
  }
}

async function commit(line: string, names = files): Promise<string> {
  const end = (name: string) => (/crlf|raw/.test(name) ? '\r\n' : '\n')
  await write(Object.fromEntries(names.map((name) => [name, ['a', ...(line === '' ? [] : [line]), 'b', 'c', ''].join(end(name))])))
  await realGit(work, 'add', '--all')
  await realGit(work, 'commit', '--quiet', '--message', `Line ${line}`)
  return realGit(work, 'rev-parse', 'HEAD')
}

const publish = () => realGit(work, 'push', '--quiet', repo.dir, 'HEAD:refs/heads/published', '--force')

async function goTo(commit: string): Promise<void> {
  await realGit(work, 'reset', '--quiet', '--hard')
  await realGit(work, 'checkout', '--quiet', '--detach', commit)
}

let [base, ours, theirs] = ['', '', '']

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gitstead-attributes-'))
  work = join(home, 'work')
  git = await openGit(join(home, 'data'), { by_fork_server: true, onSpawn: (args) => started.push(args[0] ?? '') })
  repo = git.open(1)
  await createRepository(repo, 'main')
  await realGit(home, 'init', '--quiet', '--initial-branch=main', work)
  await realGit(work, 'config', 'core.autocrlf', 'false')
  await write(attributes)
  base = await commit('')
  // The attributes of their side don't count.
  await write({ '.gitattributes': `${attributes['.gitattributes']}plain merge=union\n`, 'other/.gitattributes': '* merge=union\n' })
  theirs = await commit('theirs')
  await rename(join(work, 'moved.log'), join(work, 'sub/moved.log'))
  theirs = await commit(
    'theirs',
    files.filter((name) => name !== 'moved.log'),
  )
  await publish()
  await goTo(base)
  ours = await commit('ours')
  await publish()
})

afterAll(async () => {
  git.close()
  await rm(home, { recursive: true, force: true })
})

/** The index after a merge by git: merged files, and the versions of those in conflict. */
async function mergedByGit(one: string, other: string): Promise<string[]> {
  await goTo(one)
  await tryGit(work, 'merge', '--no-commit', '--no-ff', '--quiet', other)
  const index = (await realGit(work, '-c', 'core.quotePath=false', 'ls-files', '--stage')).split('\n')
  return index.sort()
}

async function mergedByUs(one: string, other: string): Promise<string[]> {
  const merged = await inQuarantine(repo, (env) => mergeTreeOf(repo, env, one, other))
  if (!merged) throw new Error('nothing in common')
  const listed = await realGit(
    repo.dir,
    '-c',
    'core.quotePath=false',
    'ls-tree',
    '-r',
    '--format=%(objectmode) %(objectname) 0%x09%(path)',
    merged.tree,
  )
  const inConflict = new Set(merged.conflicts.map(({ path }) => path))
  const clean = listed.split('\n').filter((line) => !inConflict.has(line.split('\t')[1] ?? ''))
  const stages = merged.conflicts.flatMap(({ path, ...sides }) =>
    [sides.base, sides.ours, sides.theirs].flatMap((side, index) => (side ? [`${side.mode} ${side.oid} ${index + 1}\t${path}`] : [])),
  )
  return [...clean, ...stages].sort()
}

test('files are merged as in a working tree of the branch that is merged into, whichever driver, folder and macro', async () => {
  const expected = await mergedByGit(ours, theirs)
  expect(await mergedByUs(ours, theirs)).toEqual(expected)
  const clean = (path: string) => expected.some((line) => line.endsWith(` 0\t${path}`))
  expect(files.filter(clean)).toEqual('log a.changes docs/all docs/deep/all sub/a.log sub/a.bin b.crlf union.raw ünï'.split(' '))
  expect(clean('sub/moved.log')).toBe(true)
})

test('the other way round the attributes of the other branch count', async () => {
  const expected = await mergedByGit(theirs, ours)
  expect(await mergedByUs(theirs, ours)).toEqual(expected)
  expect(expected.filter((line) => / 0\t(?:plain|other\/sub\/a\.log)$/.test(line))).toHaveLength(2)
})

test('files that are taken whole can’t be resolved as text; all others can, with markers of any length', async () => {
  const sides = { ours, theirs }
  const conflicts = (await conflictsBetween(repo, sides)) ?? []
  const whole = conflicts.filter(({ reason }) => reason === 'binary').map(({ path }) => path)
  expect(whole).toEqual(['a.bin', 'a.pic', 'a.unset', 'sub/anchored', 'sub/deep/a.log'])
  for (const { path, content } of conflicts.filter(({ reason }) => reason === null)) {
    const sections = sectionsOf(content ?? '', sides)
    expect([path, sections?.map(({ kind }) => kind)]).toEqual([path, ['common', 'conflict', 'common']])
  }
  const wide = conflicts.find(({ path }) => path === 'a.wide')?.content ?? ''
  expect(withMarkers(wide, sides, { ours: 'main', theirs: 'topic' })).toBe(
    'a\n<<<<<<<<<<<< main\nours\n============\ntheirs\n>>>>>>>>>>>> topic\nb\nc\n',
  )
})

test('a conflict of modes only is resolved as before', async () => {
  const added = async (mode: string) => {
    await goTo(base)
    await write({ script: 'echo\n' })
    await realGit(work, 'add', `--chmod=${mode}`, 'script')
    await realGit(work, 'commit', '--quiet', '--message', mode)
    await publish()
    return realGit(work, 'rev-parse', 'HEAD')
  }
  const sides = { ours: await added('+x'), theirs: await added('-x') }
  expect(await conflictsBetween(repo, sides)).toMatchObject([{ path: 'script', reason: null, content: 'echo\n' }])
})

test(
  'cherry-picks, reverts and rebases follow the attributes of the commit they go onto',
  inFullRun('Half a second of processor. Merges follow the same attributes above.'),
  async () => {
    const logs = ['log', 'sub/a.log', 'docs/deep/all']
    const side = async (line: string, ...others: string[]) => {
      await goTo(base)
      const oid = await commit(line, [...logs, ...others])
      await publish()
      return oid
    }
    const [one, other] = [await side('one'), await side('other', 'plain')]
    await realGit(work, 'cherry-pick', one)
    const tree = await realGit(work, 'rev-parse', 'HEAD^{tree}')
    expect(await cherryPickOnto(repo, await readCommit(repo, one), await readCommit(repo, other))).toBe(tree)
    await goTo(other)
    const last = await commit('last', logs)
    await publish()
    await realGit(work, 'rebase', '--quiet', one)
    const rebased = await realGit(work, 'rev-parse', 'HEAD^{tree}')
    const person = { name: 'Ada', email: 'ada@example.com' }
    const outcome = await rebase(repo, { onto: one, tip: last }, person)
    const tip = outcome.kind === 'done' ? await realGit(repo.dir, 'rev-parse', `${outcome.oid}^{tree}`) : outcome.kind
    expect(tip).toBe(rebased)
    await goTo(last)
    await realGit(work, 'revert', '--no-edit', other)
    const reverted = await realGit(work, 'rev-parse', 'HEAD^{tree}')
    expect(await revertOnto(repo, await readCommit(repo, other), await readCommit(repo, last))).toBe(reverted)
  },
)

test('a link, a folder and a file too large in place of attributes say nothing', async () => {
  await goTo(base)
  await rm(join(work, '.gitattributes'))
  await symlink('sub/.gitattributes', join(work, '.gitattributes'))
  await mkdir(join(work, 'docs/.gitattributes'), { recursive: true })
  await write({ 'docs/.gitattributes/file': 'all merge=union\n', 'sub/.gitattributes': `a.log merge=union\n#${'x'.repeat(1024 * 1024)}\n` })
  const odd = await commit('odd')
  await publish()
  const conflicts = (await conflictsBetween(repo, { ours: odd, theirs })) ?? []
  for (const path of ['log', 'docs/all', 'sub/a.log']) expect(conflicts).toContainEqual(expect.objectContaining({ path, reason: null }))
})

test('without files that both sides have changed it is one process, without attributes one more', async () => {
  const count = async (one: string, other: string) => {
    started.length = 0
    await inQuarantine(repo, (env) => mergeTreeOf(repo, env, one, other))
    return [...started]
  }
  await goTo(base)
  const elsewhere = await commit('ours', ['new'])
  await publish()
  expect(await count(elsewhere, theirs)).toEqual(['merge-tree'])
  await goTo(base)
  await realGit(work, 'rm', '--quiet', '.gitattributes', 'sub/.gitattributes', 'sub/deep/.gitattributes')
  const bare = await commit('ours', ['log', 'sub/a.log'])
  await publish()
  expect(await count(bare, theirs)).toEqual(['merge-tree', 'ls-tree'])
  expect(await count(ours, theirs)).toEqual(['merge-tree', 'ls-tree', 'cat-file', 'merge-tree'])
})
