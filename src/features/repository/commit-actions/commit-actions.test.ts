/**
 * Commits made through the API, read back by git itself; and refusals that leave everything as it was. What is judged before the
 * database is written is judged on one engine.
 */
import { readdir } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { engine } from '../../../../test/support/database.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { writeCommit } from '../../../git/write/fast-import.ts'

cpuBudget(8, 'Commits by git.')

let forge: Forge
let dev: TestUser

beforeAll(async () => {
  forge = await testForge()
  dev = await forge.user({ name: 'Dev Eloper' })
})

/** A project with a branch `work` that the developer may push to, with files of every kind. */
async function workshop(): Promise<TestProject> {
  const project = await forge.project({
    developer: dev,
    commits: [
      { files: { 'README.md': 'Hello\n', 'dir/a.txt': 'a\n', 'dir/deep/b.txt': 'b\n' } },
      { message: 'Later', files: { 'README.md': 'Hello again\n' } },
    ],
  })
  const tip = await git(project.dir, 'rev-parse', 'main')
  const oid = await git(project.dir, 'rev-parse', 'main:README.md')
  const kinds = await writeCommit(forge.app.git.open(project.id), {
    parents: [tip],
    author: dev,
    committer: dev,
    message: 'Kinds',
    changes: [
      { kind: 'place', path: 'run.sh', mode: '100755', oid },
      { kind: 'write', path: 'link', mode: '120000', content: () => Buffer.from('dir/a.txt') },
      { kind: 'place', path: 'module', mode: '160000', oid: '5'.repeat(40) },
    ],
  })
  await git(project.dir, 'update-ref', 'refs/heads/work', kinds)
  return project
}

const commit = (project: TestProject, actions: unknown, rest: Record<string, unknown> = {}, user = dev) =>
  forge.as(user).post(`/projects/${project.id}/repository/commits`, { branch: 'work', commit_message: 'Change', actions, ...rest })

const contentOf = (project: TestProject, path: string, revision = 'work') => git(project.dir, 'show', `${revision}:${path}`)
const listing = async (project: TestProject, revision = 'work') => {
  const text = await git(project.dir, 'ls-tree', '-r', '-z', revision)
  return text
    .split('\0')
    .filter(Boolean)
    .map((line) => line.replace(/ .*?\t/s, ' '))
}
/** A refused commit must leave all of this as it was: refs, default branch, events and the journal. */
async function stateOf(project: TestProject) {
  const count = async (table: 'events' | 'push_intents') =>
    Number(
      (
        await forge.app.db
          .selectFrom(table)
          .where('project_id', '=', project.id)
          .select(({ fn }) => fn.countAll().as('n'))
          .executeTakeFirstOrThrow()
      ).n,
    )
  const { default_branch, last_activity_at } = (await forge.as(forge.root).get(`/projects/${project.id}`)).body
  return [await git(project.dir, 'for-each-ref'), default_branch, last_activity_at, await count('events'), await count('push_intents')]
}

describe('a commit', () => {
  test('with every kind of action is one commit that git can read, and is returned with its stats', async () => {
    const project = await workshop()
    const before = await git(project.dir, 'rev-parse', 'work')
    const { status, body } = await commit(project, [
      { action: 'create', file_path: 'new/file.txt', content: 'one\ntwo\n' },
      { action: 'create', file_path: 'bytes', content: Buffer.from([0, 255, 10]).toString('base64'), encoding: 'base64' },
      { action: 'update', file_path: 'README.md', content: 'Changed' },
      { action: 'update', file_path: 'run.sh', content: 'still executable' },
      { action: 'move', file_path: 'moved/run.sh', previous_path: 'run.sh' },
      { action: 'move', file_path: 'moved.txt', previous_path: 'dir/a.txt', content: 'moved and changed' },
      { action: 'delete', file_path: 'dir/deep/b.txt' },
      { action: 'delete', file_path: 'module' },
      { action: 'chmod', file_path: 'new/file.txt', execute_filemode: true },
    ])
    const tip = await git(project.dir, 'rev-parse', 'work')
    expect([status, body.id, body.parent_ids, body.title]).toEqual([201, tip, [before], 'Change'])
    expect(body).toMatchObject({
      status: null,
      last_pipeline: null,
      project_id: project.id,
      author_name: dev.name,
      committer_email: dev.email,
    })
    const numbers = (await git(project.dir, 'diff-tree', '--numstat', '--no-renames', '-r', before, tip))
      .split('\n')
      .map((line) => line.split('\t').map(Number))
    const sum = (at: number) => numbers.reduce((total, line) => total + (line[at] || 0), 0)
    expect(body.stats).toEqual({ additions: sum(0), deletions: sum(1), total: sum(0) + sum(1) })
    expect(await listing(project)).toEqual([
      '100644 README.md',
      '100644 bytes',
      '120000 link',
      '100644 moved.txt',
      '100755 moved/run.sh',
      '100755 new/file.txt',
    ])
    expect([
      await contentOf(project, 'moved/run.sh'),
      await contentOf(project, 'moved.txt'),
      await contentOf(project, 'README.md'),
    ]).toEqual(['still executable', 'moved and changed', 'Changed'])
    expect(await git(project.dir, 'cat-file', '-s', 'work:bytes')).toBe('3')
    expect(await git(project.dir, 'fsck', '--no-dangling', 'work')).toBe('')
    expect((await forge.as(dev).get(`/projects/${project.id}/repository/commits/work`)).body).toEqual(body)
  })

  test('may be sent as a form or in the query', async () => {
    const project = await workshop()
    const pairs = [
      ['branch', 'work'],
      ['commit_message', 'A form & more'],
      ['actions[][action]', 'create'],
      ['actions[][file_path]', 'form/1'],
      ['actions[][content]', 'one'],
      ['actions[][action]', 'create'],
      ['actions[][file_path]', 'form/2'],
      ['actions[][content]', ''],
      ['actions[][action]', 'delete'],
      ['actions[][file_path]', 'README.md'],
    ]
    const text = pairs.map(([name, value]) => `${encodeURIComponent(name as string)}=${encodeURIComponent(value as string)}`).join('&')
    const url = `/projects/${project.id}/repository/commits`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await forge.as(dev).post(url, text, { headers })).status).toBe(201)
    const paths = (await listing(project)).filter((line) => line.startsWith('100644'))
    expect(paths).toEqual(['100644 dir/a.txt', '100644 dir/deep/b.txt', '100644 form/1', '100644 form/2'])
    const again = await forge.as(dev).post(`${url}?${text.replaceAll('form%2F', 'query%2F').replace(/&actions[^&]*delete.*$/, '')}`)
    expect([again.status, await contentOf(project, 'query/1')]).toEqual([201, 'one'])
  })

  test('may have three thousand actions', {
    ...inFullRun('Half a second of processor. `tree-builder.test.ts` makes trees of any changes; other commits have a few actions.'),
    timeout: 60_000,
  }, async () => {
    const project = await workshop()
    const actions = Array.from({ length: 3_000 }, (_, index) => ({
      action: 'create',
      file_path: `many/${index % 50}/${index}.txt`,
      content: `${index}\n`.repeat(200),
    }))
    const { processes } = await forge.cost(async () => {
      const { status, body } = await commit(project, actions)
      expect([status, body.stats]).toEqual([201, { additions: 600_000, deletions: 0, total: 600_000 }])
    })
    // The branch, the commit, its ref, its stats, the reader of objects.
    expect(processes).toBeLessThan(10)
    expect((await listing(project)).filter((line) => line.includes('many/'))).toHaveLength(3_000)
    expect(await git(project.dir, 'rev-list', '--count', 'main~1..work')).toBe('3')
  })

  test('with a message over a megabyte, or a last_commit_id for too many files, is refused and nothing changes', async () => {
    const project = await workshop()
    const before = await git(project.dir, 'for-each-ref')
    const create = { action: 'create', file_path: 'new.txt', content: '' }
    const long = await commit(project, [create], { commit_message: 'x'.repeat(1024 * 1024 + 1) })
    const sha = '1'.repeat(40)
    const guarded = Array.from({ length: 1_001 }, (_, index) => ({ action: 'delete', file_path: `${index}`, last_commit_id: sha }))
    const many = await commit(project, guarded)
    expect([long.status, many.status, many.body]).toEqual([
      400,
      400,
      { message: 'At most 1000 actions of one commit may tell a last_commit_id' },
    ])
    expect(await git(project.dir, 'for-each-ref')).toBe(before)
  })

  test('has the given author and the caller as committer; a missing or empty author field is the caller’s', async () => {
    const project = await workshop()
    const people = async (author: Record<string, string>) => {
      const { body } = await commit(project, [{ action: 'create', file_path: `by/${Object.values(author).join()}x`, content: '' }], author)
      return [body.author_name, body.author_email, body.committer_name, body.committer_email]
    }
    const [name, email] = [dev.name, dev.email]
    expect(await people({ author_name: 'Ada', author_email: 'ada@x.org' })).toEqual(['Ada', 'ada@x.org', name, email])
    expect(await people({ author_name: 'Ada' })).toEqual(['Ada', email, name, email])
    expect(await people({ author_email: 'ada@x.org' })).toEqual([name, 'ada@x.org', name, email])
    expect(await people({ author_name: '', author_email: '' })).toEqual([name, email, name, email])
  })

  test('keeps what git can store of an odd author name or email', async () => {
    const project = await workshop()
    const author = { author_name: 'Eve <eve@x>\ncommitter Root <root@x> 0 +0000', author_email: 'a>\n<b@c' }
    const { status, body } = await commit(project, [{ action: 'create', file_path: 'odd', content: '' }], author)
    expect([status, body.author_name, body.author_email]).toEqual([201, 'Eve eve@xcommitter Root root@x 0 +0000', 'ab@c'])
    expect(await git(project.dir, 'cat-file', '-p', 'work')).toContain(`\ncommitter ${dev.name} <${dev.email}>`)
    expect(await git(project.dir, 'fsck', '--strict', '--no-dangling', 'work')).toBe('')
  })

  test('from a start branch creates its own branch and leaves the start branch alone', async () => {
    const project = await workshop()
    const main = await git(project.dir, 'rev-parse', 'main')
    const { status, body } = await commit(project, [{ action: 'create', file_path: 'x', content: 'x' }], {
      branch: 'feature/one',
      start_branch: 'main',
    })
    expect([status, body.parent_ids]).toEqual([201, [main]])
    expect([await git(project.dir, 'rev-parse', 'feature/one'), await git(project.dir, 'rev-parse', 'main')]).toEqual([body.id, main])
  })

  test('may be the first of an empty repository and creates its default branch', async () => {
    const owner = await forge.user()
    const project = await forge.project({ owner, files: null })
    const { status, body } = await commit(
      project,
      [{ action: 'create', file_path: 'README.md', content: 'Hi' }],
      { branch: 'trunk' },
      owner,
    )
    expect([status, body.parent_ids, body.stats]).toEqual([201, [], { additions: 1, deletions: 0, total: 1 }])
    const now = (await forge.as(owner).get(`/projects/${project.id}`)).body
    expect(now).toMatchObject({ default_branch: 'trunk' })
    expect(await git(project.dir, 'symbolic-ref', 'HEAD')).toBe('refs/heads/trunk')
  })

  test('of the last file leaves an empty tree, to which files come again', async () => {
    const project = await forge.project({ maintainer: dev, files: { only: 'x' } })
    expect((await commit(project, [{ action: 'delete', file_path: 'only' }], { branch: 'main' })).status).toBe(201)
    expect(await listing(project, 'main')).toEqual([])
    expect((await commit(project, [{ action: 'create', file_path: 'a/b', content: '' }], { branch: 'main' })).status).toBe(201)
    expect(await listing(project, 'main')).toEqual(['100644 a/b'])
  })

  test(
    'leaves what a push of the same commit leaves: its event, the default branch, the activity, the readme',
    onPostgresAlone('1 s of processor.'),
    async () => {
      const [byApi, byPush] = await Promise.all([
        forge.project({ maintainer: dev, files: null }),
        forge.project({ maintainer: dev, files: null }),
      ])
      const old = '2020-01-01T00:00:00.000Z'
      await forge.app.db.updateTable('projects').set({ last_activity_at: old }).where('id', 'in', [byApi.id, byPush.id]).execute()
      await commit(byApi, [{ action: 'create', file_path: 'README', content: 'x' }], { branch: 'trunk', commit_message: 'Title\n\nBody' })
      await commit(byApi, [{ action: 'create', file_path: 'more', content: 'x' }], { branch: 'trunk' })
      const folder = await forge.folder()
      await git(folder, 'clone', '--quiet', await forge.remote(byApi, dev), '.')
      const remote = await forge.remote(byPush, dev)
      for (const revision of ['HEAD~1', 'HEAD']) await git(folder, 'push', '--quiet', remote, `${revision}:refs/heads/trunk`)
      await forge.drain()

      const left = async ({ id }: TestProject) => {
        const events = await forge.app.db
          .selectFrom('events')
          .selectAll()
          .where('project_id', '=', id)
          .where('action', '=', 'pushed')
          .orderBy('id')
          .execute()
        const rules = await forge.app.db
          .selectFrom('protected_branches')
          .select(['name', 'push_level', 'merge_level'])
          .where('project_id', '=', id)
          .execute()
        const { default_branch, readme_url, last_activity_at, statistics } = (
          await forge.as(forge.root).get(`/projects/${id}?statistics=true`)
        ).body
        return {
          events: events.map(({ id: _, project_id: __, created_at: ___, ...event }) => event),
          rules,
          project: {
            default_branch,
            readme: String(readme_url).split('/').at(-1),
            active: last_activity_at > old,
            commits: statistics.commit_count,
          },
        }
      }
      const pushed = await left(byPush)
      expect(pushed.events).toHaveLength(2)
      expect(pushed.project).toMatchObject({ default_branch: 'trunk', active: true })
      expect(await left(byApi)).toEqual(pushed)
    },
  )
})

describe.skipIf(engine === 'postgres')('actions are judged one after the other', () => {
  const create = (file_path: string) => ({ action: 'create', file_path, content: file_path })
  const remove = (file_path: string) => ({ action: 'delete', file_path })
  const move = (previous_path: string, file_path: string) => ({ action: 'move', previous_path, file_path })

  test('in which each action sees the result of those before', async () => {
    const project = await workshop()
    const { status, body } = await commit(project, [
      create('fresh'),
      { action: 'update', file_path: 'fresh', content: 'updated' },
      move('fresh', 'fresh2'),
      create('fresh'),
      remove('dir/a.txt'),
      remove('dir/deep/b.txt'),
      create('dir'),
      remove('link'),
      create('link/inside'),
      move('README.md', 'README.md.tmp'),
      move('README.md.tmp', 'README.md/index'),
    ])
    expect([status, body?.message]).toEqual([201, 'Change'])
    expect(await listing(project)).toEqual([
      '100644 README.md/index',
      '100644 dir',
      '100644 fresh',
      '100644 fresh2',
      '100644 link/inside',
      '160000 module',
      '100755 run.sh',
    ])
    expect([await contentOf(project, 'fresh2'), await contentOf(project, 'fresh')]).toEqual(['updated', 'fresh'])
  })

  test('symbolic links and submodules can be moved and deleted, and links changed', async () => {
    const project = await workshop()
    const { status } = await commit(project, [
      { action: 'update', file_path: 'link', content: 'elsewhere' },
      move('link', 'links/link'),
      move('module', 'modules/module'),
    ])
    expect(status).toBe(201)
    expect((await listing(project)).filter((line) => line.startsWith('1'))).toEqual(
      expect.arrayContaining(['120000 links/link', '160000 modules/module']),
    )
    expect(await contentOf(project, 'links/link')).toBe('elsewhere')
  })

  test.each([
    ['create where a file is', [create('README.md')], 'A file with this name already exists'],
    ['create where a submodule is', [create('module')], 'A file with this name already exists'],
    ['create where a folder is', [create('dir')], 'A directory with this name already exists'],
    ['create below a file', [create('README.md/x')], 'A file with the name of one of its directories already exists'],
    ['create below a link', [create('link/x')], 'A file with the name of one of its directories already exists'],
    ['create below a submodule', [create('module/x/y')], 'A file with the name of one of its directories already exists'],
    ['create twice', [create('x'), create('x')], 'A file with this name already exists'],
    ['create a folder over a new file', [create('x'), create('x/y')], 'A file with the name of one of its directories already exists'],
    ['create a file over a new folder', [create('x/y'), create('x')], 'A directory with this name already exists'],
    ['update of nothing', [{ action: 'update', file_path: 'none', content: '' }], "A file with this name doesn't exist"],
    ['update of a folder', [{ action: 'update', file_path: 'dir', content: '' }], "A file with this name doesn't exist"],
    [
      'update of what was deleted',
      [remove('README.md'), { action: 'update', file_path: 'README.md', content: '' }],
      "A file with this name doesn't exist",
    ],
    ['update of a submodule', [{ action: 'update', file_path: 'module', content: '' }], 'A submodule has no content that could be changed'],
    ['delete of nothing', [remove('none')], "A file with this name doesn't exist"],
    ['delete of a folder', [remove('dir')], "A file with this name doesn't exist"],
    ['delete twice', [remove('README.md'), remove('README.md')], "A file with this name doesn't exist"],
    ['delete below a file', [remove('README.md/x')], "A file with this name doesn't exist"],
    ['move of nothing', [move('none', 'some')], "A file with this name doesn't exist"],
    ['move of a folder', [move('dir', 'some')], "A file with this name doesn't exist"],
    ['move over a file', [move('README.md', 'dir/a.txt')], 'A file with this name already exists'],
    ['move over itself', [move('README.md', 'README.md')], 'A file with this name already exists'],
    ['move over a folder', [move('README.md', 'dir')], 'A directory with this name already exists'],
    ['move from nowhere', [{ action: 'move', file_path: 'x' }], 'You must provide a file path'],
    ['move from above', [move('../x', 'x')], 'Path cannot include directory traversal'],
    ['move of a submodule with content', [{ ...move('module', 'x'), content: '' }], 'A submodule has no content that could be changed'],
    ['chmod of nothing', [{ action: 'chmod', file_path: 'none', execute_filemode: true }], "A file with this name doesn't exist"],
    [
      'chmod of a link',
      [{ action: 'chmod', file_path: 'link', execute_filemode: true }],
      'Only a regular file can be made executable or not',
    ],
    [
      'chmod of a submodule',
      [{ action: 'chmod', file_path: 'module', execute_filemode: false }],
      'Only a regular file can be made executable or not',
    ],
    ['chmod to nothing', [{ action: 'chmod', file_path: 'README.md' }], 'You must provide execute_filemode'],
    ['create without content', [{ action: 'create', file_path: 'x' }], 'You must provide content'],
    ['update without content', [{ action: 'update', file_path: 'README.md' }], 'You must provide content'],
    ['content that is null', [{ action: 'create', file_path: 'x', content: null }], 'You must provide content'],
    ['good ones before a bad one', [create('x'), create('y'), remove('none')], "A file with this name doesn't exist"],
  ])('%s is refused, and nothing changes', async (_, actions, message) => {
    const project = await shared()
    const before = await stateOf(project)
    const { status, body } = await commit(project, actions)
    expect([status, body]).toEqual([400, { message }])
    expect(await stateOf(project)).toEqual(before)
  })

  test('a single action that changes nothing is refused; one of several may change nothing', async () => {
    const project = await workshop()
    const before = await stateOf(project)
    const content = await contentOf(project, 'README.md')
    const same = { action: 'update', file_path: 'README.md', content: `${content}\n` }
    for (const action of [same, { action: 'chmod', file_path: 'README.md', execute_filemode: false }]) {
      for (const rest of [{}, { branch: 'copy', start_branch: 'work' }]) {
        const { status, body } = await commit(project, [action], rest)
        const message = 'The commit would change nothing: the content is identical to the current content'
        expect([status, body]).toEqual([400, { message }])
      }
    }
    expect(await stateOf(project)).toEqual(before)
    const { status, body } = await commit(project, [same, create('more')])
    expect([status, body.stats.total]).toEqual([201, 1])
  })
})

describe.skipIf(engine === 'postgres')('a file that steers git itself', () => {
  const modules = (url: string) => `[submodule "x"]\n\tpath = x\n\turl = ${url}\n`

  test('is refused where a push of the same would be', async () => {
    const project = await shared()
    const before = await stateOf(project)
    const evil = 'gitmodulesUrl: disallowed submodule url: -oProxyCommand=evil'
    for (const file_path of ['.gitmodules', 'deep/in/.gitmodules', '.gitm\u200codules', 'GITMOD~1']) {
      const { status, body } = await commit(project, [{ action: 'create', file_path, content: modules('-oProxyCommand=evil') }])
      expect([file_path, status, body]).toEqual([file_path, 400, { message: `Git refuses what the commit holds: ${evil}` }])
    }
    const link = await commit(project, [{ action: 'move', previous_path: 'link', file_path: '.gitmodules' }])
    expect([link.status, link.body.message]).toEqual([400, expect.stringContaining('.gitmodules is a symbolic link')])
    expect(await stateOf(project)).toEqual(before)
    expect((await readdir(`${project.dir}/objects`)).filter((name) => name.startsWith('tmp_'))).toEqual([])
  })

  test('is accepted where a push of the same is', async () => {
    const project = await workshop()
    const actions = [
      { action: 'create', file_path: '.gitmodules', content: modules('https://example.com/x.git') },
      { action: 'create', file_path: '.gitattributes', content: '* text\n' },
    ]
    expect((await commit(project, actions)).status).toBe(201)
    expect((await commit(project, [{ action: 'delete', file_path: '.gitmodules' }])).status).toBe(201)
  })
})

let common: Promise<TestProject> | null = null

/** One project for everything that is refused: it never changes. */
function shared(): Promise<TestProject> {
  common ??= workshop()
  return common
}

describe.skipIf(engine === 'postgres')('a last commit id', () => {
  test('a current last_commit_id is accepted; on create it is ignored', async () => {
    const project = await workshop()
    const last = await git(project.dir, 'rev-list', '-1', 'work', '--', 'README.md')
    const first = await git(project.dir, 'rev-list', '-1', 'work', '--', 'dir/a.txt')
    const { status, body } = await commit(project, [
      { action: 'update', file_path: 'README.md', content: 'x', last_commit_id: last },
      { action: 'move', previous_path: 'dir/a.txt', file_path: 'b.txt', last_commit_id: first },
      { action: 'create', file_path: 'new', content: '', last_commit_id: 'whatever' },
      { action: 'delete', file_path: 'dir/deep/b.txt', last_commit_id: '' },
    ])
    expect([status, body.message]).toEqual([201, 'Change'])
  })

  test.each([
    ['update', { action: 'update', file_path: 'README.md', content: 'x' }, 'README.md'],
    ['delete', { action: 'delete', file_path: 'README.md' }, 'README.md'],
    ['move', { action: 'move', previous_path: 'README.md', file_path: 'x' }, 'README.md'],
    ['chmod', { action: 'chmod', file_path: 'README.md', execute_filemode: true }, 'README.md'],
  ])('that is not the last of the file refuses the %s', async (_, action, path) => {
    const project = await shared()
    const before = await stateOf(project)
    const first = await git(project.dir, 'rev-list', '--max-parents=0', 'work')
    for (const last_commit_id of [first, await git(project.dir, 'rev-parse', 'work'), 'stale', '--all']) {
      const { status, body } = await commit(project, [
        { action: 'create', file_path: 'a', content: '' },
        { ...action, last_commit_id },
      ])
      expect([status, body]).toEqual([400, { message: `The file has changed since you started editing it: ${path}` }])
    }
    expect(await stateOf(project)).toEqual(before)
  })
})

describe.skipIf(engine === 'postgres')('what is malformed is refused, and nothing changes', () => {
  const good = [{ action: 'create', file_path: 'x', content: 'x' }]

  async function expectRefused(actions: unknown, rest: Record<string, unknown>, status: number, body: unknown) {
    const project = await shared()
    const before = await stateOf(project)
    const answer = await commit(project, actions, rest)
    expect([answer.status, answer.body]).toEqual([status, body])
    expect(await stateOf(project)).toEqual(before)
  }

  test.each([
    ['.git/x', 'Path is one that cannot be written'],
    ['.GIT', 'Path is one that cannot be written'],
    ['git~1', 'Path is one that cannot be written'],
    ['.git ', 'Path is one that cannot be written'],
    ['a/.git./b', 'Path is one that cannot be written'],
    ['.git::$INDEX_ALLOCATION/x', 'Path is one that cannot be written'],
    ['.g\u200cit', 'Path is one that cannot be written'],
    ['a\\..\\.git\\x', 'Path is one that cannot be written'],
    ['a/../b', 'Path cannot include directory traversal'],
    ['../b', 'Path cannot include directory traversal'],
    ['/..', 'Path cannot include directory traversal'],
    ['a/./b', 'Path is one that cannot be written'],
    ['a//b', 'Path is one that cannot be written'],
    ['a\nb', 'Path is one that cannot be written'],
    ['a\u0001b', 'Path is one that cannot be written'],
    ['a\x7f', 'Path is one that cannot be written'],
    ['a\ud800b', 'Path is one that cannot be written'],
    ['', 'You must provide a file path'],
    ['/', 'You must provide a file path'],
  ])('the path %j', (file_path, message) => refusePath(file_path, message))

  test('a path of a megabyte', () => refusePath('x'.repeat(1_000_000), 'Path is one that cannot be written'))

  test('a path of half a million folders', () => refusePath('x/'.repeat(500_000), 'Path is one that cannot be written'))

  async function refusePath(path: string, message: string) {
    const project = await shared()
    const before = await stateOf(project)
    const actions = ['create', 'update', 'delete', 'chmod'].map((action) => ({ action, file_path: path }))
    const moves = [
      { action: 'move', previous_path: 'README.md', file_path: path },
      { action: 'move', previous_path: path, file_path: 'x' },
    ]
    for (const action of [...actions, ...moves]) {
      const whole = { content: 'x', last_commit_id: 'x', execute_filemode: true, ...action }
      const { status, body } = await commit(project, [whole])
      expect([action.action, status, body]).toEqual([action.action, 400, { message }])
    }
    expect(await stateOf(project)).toEqual(before)
  }

  test('odd but valid paths are accepted, and a leading slash means the root', async () => {
    const project = await workshop()
    const paths = [
      '-dash',
      '--help',
      ' ',
      'a b?*[c]',
      ':(glob)*',
      '"quoted"',
      'ünï/😀',
      '__proto__/constructor',
      'back\\slash',
      '.gitignore',
    ]
    const actions = [...paths, '/rooted'].map((file_path) => ({ action: 'create', file_path, content: file_path }))
    expect((await commit(project, actions)).status).toBe(201)
    const found = (await listing(project)).map((line) => line.slice(7))
    expect(found).toEqual(expect.arrayContaining([...paths, 'rooted']))
  })

  test.each([
    [undefined, { error: 'actions is missing' }],
    [null, { error: 'actions is missing' }],
    [[], { error: 'actions does not have a valid value' }],
    ['create', { error: 'actions[0] is invalid' }],
    [[1], { error: 'actions[0] is invalid' }],
    [[[]], { error: 'actions[0] is invalid' }],
    [[null], { error: 'actions[0] is invalid' }],
    [[{}], { error: 'actions[0][action] is missing, actions[0][file_path] is missing' }],
    [[{ action: 'create' }], { error: 'actions[0][file_path] is missing' }],
    [[{ file_path: 'x' }], { error: 'actions[0][action] is missing' }],
    [[{ action: 'explode', file_path: 'x' }], { error: 'actions[0][action] does not have a valid value' }],
    [[{ action: ['create'], file_path: 'x' }], { error: 'actions[0][action] is invalid, actions[0][action] does not have a valid value' }],
    [[{ action: 'create', file_path: ['x'], content: '' }], { error: 'actions[0][file_path] is invalid' }],
    [[{ action: 'create', file_path: 'a\0b', content: '' }], { error: 'actions[0][file_path] is invalid' }],
    [[{ action: 'create', file_path: 'x', content: { a: 1 } }], { error: 'actions[0][content] is invalid' }],
    [[{ action: 'create', file_path: 'x', content: '', encoding: 'utf-7' }], { error: 'actions[0][encoding] does not have a valid value' }],
    [[{ action: 'chmod', file_path: 'README.md', execute_filemode: 'maybe' }], { error: 'actions[0][execute_filemode] is invalid' }],
  ])('an array of actions like %j', async (actions, body) => {
    await expectRefused(actions, {}, 400, body)
  })

  test('more than 20,000 actions', () =>
    expectRefused(Array(20_001).fill(good[0]), {}, 400, { error: 'actions does not have a valid value' }))

  test.each(['%', 'a', 'YQ', 'YQ=', 'YQ===', 'Y=Q=', '====', 'YQ==YQ==', 'Y-_Q', 'YQ==\u00a0', 'ä==='])(
    'base64 that is %j',
    async (content) => {
      await expectRefused([{ action: 'create', file_path: 'x', content, encoding: 'base64' }], {}, 400, {
        message: 'Content is not encoded as base64',
      })
    },
  )

  test('text with half of a character', () =>
    expectRefused([{ action: 'create', file_path: 'x', content: 'caf\udce9' }], {}, 400, {
      message: 'Content is not text in Unicode: send it in base64',
    }))

  test('base64 may be broken into lines, and be empty', async () => {
    const project = await workshop()
    const actions = ['', 'YQ==', 'YWI=\n', 'YW\r\nJj\n'].map((content, index) => ({
      action: 'create',
      file_path: `${index}`,
      content,
      encoding: 'base64',
    }))
    expect((await commit(project, actions)).status).toBe(201)
    expect(await Promise.all([0, 1, 2, 3].map((name) => contentOf(project, String(name))))).toEqual(['', 'a', 'ab', 'abc'])
  })

  test.each([
    [{ commit_message: '' }, { error: 'commit_message is empty' }],
    [{ commit_message: ' \n ' }, { error: 'commit_message is empty' }],
    [{ commit_message: undefined }, { error: 'commit_message is missing' }],
    [{ commit_message: 'a\0b' }, { error: 'commit_message is invalid' }],
    [{ commit_message: ['a'] }, { error: 'commit_message is invalid' }],
    [{ branch: undefined }, { error: 'branch is missing' }],
    [{ author_name: 'x'.repeat(256) }, { error: 'author_name does not have a valid value' }],
    [{ author_email: { a: 1 } }, { error: 'author_email is invalid' }],
  ])('the parameters %j', async (rest, body) => {
    await expectRefused(good, rest, 400, body)
  })

  test('a form message that is not valid text', async () => {
    const project = await shared()
    const before = await stateOf(project)
    const form = 'branch=work&commit_message=%ff%fe&actions[][action]=create&actions[][file_path]=x&actions[][content]=x'
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { status, body } = await forge.as(dev).post(`/projects/${project.id}/repository/commits`, form, { headers })
    expect([status, body]).toEqual([400, { error: 'the parameters are not encoded as UTF-8' }])
    expect(await stateOf(project)).toEqual(before)
  })

  test('with invalid UTF-8 in its JSON has the replacement character there, and git accepts it', async () => {
    const project = await workshop()
    const json = '{"branch":"work","commit_message":"a?b","actions":[{"action":"create","file_path":"x","content":"x"}]}'
    const bytes = Buffer.from(json)
    bytes[bytes.indexOf('?')] = 0xff
    const headers = { 'content-type': 'application/json' }
    const { status, body } = await forge.as(dev).post(`/projects/${project.id}/repository/commits`, bytes, { headers })
    expect([status, body.message]).toEqual([201, 'a\ufffdb'])
  })
})

describe('a branch', () => {
  const actions = [{ action: 'create', file_path: 'x', content: 'x' }]
  const named = (name: string) => `Something went wrong when we tried to create '${name}' for you: Branch name is invalid`
  const nowhere = 'You can only create or edit files when you are on a branch'

  test.each([
    [{ branch: 'none' }, nowhere],
    [{ branch: 'new', start_branch: 'none' }, nowhere],
    [{ branch: '' }, nowhere],
    [{ branch: '-x' }, nowhere],
    [{ branch: 'a..b' }, nowhere],
    [{ branch: 'refs/heads/work' }, nowhere],
    [{ branch: 'HEAD' }, nowhere],
    [{ branch: 'new', start_branch: 'work~1' }, nowhere],
    [{ branch: 'new', start_branch: 'refs/heads/work' }, nowhere],
    [{ branch: 'work', start_branch: 'main' }, "A branch called 'work' already exists. Switch to that branch in order to make changes"],
    [{ branch: '', start_branch: 'work' }, named('')],
    [{ branch: '-x', start_branch: 'work' }, named('-x')],
    [{ branch: 'a..b', start_branch: 'work' }, named('a..b')],
    [{ branch: 'a b', start_branch: 'work' }, named('a b')],
    [{ branch: 'a\nb', start_branch: 'work' }, named('a\nb')],
    [{ branch: 'HEAD', start_branch: 'work' }, named('HEAD')],
    [{ branch: 'refs/heads/x', start_branch: 'work' }, named('refs/heads/x')],
    [{ branch: 'a'.repeat(40), start_branch: 'work' }, named('a'.repeat(40))],
  ])('%j is refused, and nothing changes', async (rest, message) => {
    const project = await shared()
    const before = await stateOf(project)
    const { status, body } = await commit(project, actions, rest)
    expect([status, body]).toEqual([400, { message }])
    expect(await stateOf(project)).toEqual(before)
  })

  test('with a commit id, or below the name of another one, is refused', async () => {
    const project = await shared()
    const before = await stateOf(project)
    const oid = await git(project.dir, 'rev-parse', 'work')
    expect((await commit(project, actions, { branch: oid })).body).toEqual({ message: nowhere })
    const { status, body } = await commit(project, actions, { branch: 'work/below', start_branch: 'work' })
    expect([status, Object.keys(body)]).toEqual([400, ['message']])
    const { 0: refs } = await stateOf(project)
    expect(refs).toBe(before[0])
    expect(await stateOf(project)).toEqual(before)
  })

  test('of an empty repository must have a valid name', async () => {
    const project = await forge.project({ maintainer: dev, files: null })
    const before = await stateOf(project)
    for (const branch of ['', '-x', 'a..b', 'refs/heads/x', 'HEAD']) {
      const { status, body } = await commit(project, actions, { branch })
      expect([status, body]).toEqual([400, { message: named(branch) }])
    }
    expect(await stateOf(project)).toEqual(before)
  })
})

describe('callers who may not push cannot commit', () => {
  const actions = [{ action: 'create', file_path: 'x', content: 'x' }]

  test('guests, reporters, strangers and anonymous callers are refused', async () => {
    const [guest, reporter, stranger] = await Promise.all([forge.user(), forge.user(), forge.user()])
    const project = await forge.project({ guest, reporter, visibility: 'public' })
    const before = await stateOf(project)
    for (const user of [guest, reporter, stranger]) {
      const { status, body } = await commit(project, actions, { branch: 'main' }, user)
      expect([status, body]).toEqual([403, { message: '403 Forbidden' }])
    }
    const { status } = await forge.anonymous.post(`/projects/${project.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'x',
      actions,
    })
    expect(status).toBe(401)
    expect(await stateOf(project)).toEqual(before)
  })

  test('a developer on a protected branch, or a new one a pattern protects, is refused; a maintainer is not', async () => {
    const maintainer = await forge.user()
    const project = await forge.project({ maintainer, developer: dev })
    await forge.as(maintainer).post(`/projects/${project.id}/protected_branches`, { name: 'release/*' })
    const before = await stateOf(project)
    for (const rest of [{ branch: 'main' }, { branch: 'release/1', start_branch: 'main' }]) {
      const { status, body } = await commit(project, actions, rest)
      expect([status, body]).toEqual([403, { message: '403 Forbidden - You are not allowed to push into this branch' }])
    }
    expect(await stateOf(project)).toEqual(before)
    expect((await commit(project, actions, { branch: 'main' }, maintainer)).status).toBe(201)
  })

  test('nobody commits to an archived project', async () => {
    const project = await forge.project()
    await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', project.id).execute()
    const before = await stateOf(project)
    const { status, body } = await commit(project, actions, { branch: 'main' }, forge.root)
    expect([status, body]).toEqual([403, { message: '403 Forbidden - You are not allowed to push into this branch' }])
    expect(await stateOf(project)).toEqual(before)
  })
})

describe('a submodule', () => {
  const to = '6'.repeat(40)
  const point = (project: TestProject, path: string, body: Record<string, unknown>, user = dev) =>
    forge.as(user).put(`/projects/${project.id}/repository/submodules/${encodeURIComponent(path)}`, body)

  test('is pointed to another commit of its repository, and nothing else changes', async () => {
    const project = await workshop()
    const before = await listing(project)
    const { status, body } = await point(project, 'module', { branch: 'work', commit_sha: to })
    expect([status, body]).toMatchObject([200, { title: `Update submodule module with oid ${to}`, author_name: dev.name }])
    expect(await git(project.dir, 'rev-parse', 'work:module')).toBe(to)
    expect(await listing(project)).toEqual(before)
    const again = await point(project, 'module', { branch: 'work', commit_sha: '7'.repeat(40), commit_message: 'Newer' })
    expect(again.body.parent_ids).toEqual([body.id])
    expect(await git(project.dir, 'log', '-1', '--format=%B', 'work')).toBe('Newer')
  })

  test.each([
    ['a file', 'README.md', {}, 400],
    ['a folder', 'dir', {}, 400],
    ['a missing path', 'none', {}, 400],
    ['a path that leads out', '../module', {}, 400],
    ['the commit it is at', 'module', { commit_sha: '5'.repeat(40) }, 400],
    ['the id of no commit', 'module', { commit_sha: '0'.repeat(40) }, 400],
    ['a short id', 'module', { commit_sha: '66666' }, 400],
    ['a missing branch', 'module', { branch: 'none' }, 400],
  ])('is refused for %s, and nothing changes', async (_, path, body, expected) => {
    const project = await workshop()
    const before = await stateOf(project)
    expect((await point(project, path, { branch: 'work', commit_sha: to, ...body })).status).toBe(expected)
    expect((await point(project, 'module', { branch: 'work', commit_sha: to }, await forge.user())).status).toBe(404)
    expect(await stateOf(project)).toEqual(before)
  })
})

test('of concurrent commits to one branch each is in the history or was refused; none is lost', { timeout: 60_000 }, async () => {
  const project = await workshop()
  const before = await git(project.dir, 'rev-list', 'work')
  const many = Array.from({ length: 12 }, (_, index) => index)
  const answers = await Promise.all(
    many.map((index) => commit(project, [{ action: 'create', file_path: `at/once/${index}`, content: `${index}` }])),
  )
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.id)
  const refused = answers.filter(({ status }) => status !== 201)
  expect(refused.map(({ status, body }) => [status, Object.keys(body)])).toEqual(refused.map(() => [400, ['message']]))
  expect(made.length).toBeGreaterThan(0)
  const history = (await git(project.dir, 'rev-list', 'work', '--not', ...before.split('\n'))).split('\n')
  expect(history.sort()).toEqual(made.sort())
  const files = (await listing(project)).filter((line) => line.includes('at/once/'))
  const expected = many.filter((index) => answers[index]?.status === 201).map((index) => `100644 at/once/${index}`)
  expect(files.sort()).toEqual(expected.sort())
  const events = await forge.app.db
    .selectFrom('events')
    .select('after_oid')
    .where('project_id', '=', project.id)
    .where('ref', '=', 'refs/heads/work')
    .execute()
  expect(events.map(({ after_oid }) => after_oid).sort()).toEqual(made.sort())
})
