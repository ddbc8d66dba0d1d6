/** A restore of wikis, snippets and the index of code: row by row, ref by ref, and as people read them. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { outside, rowsOf } from '../../test/support/backups.ts'
import { freshDatabase } from '../../test/support/database.ts'
import { type Forge, openForge, type TestProject, testForge } from '../../test/support/forge.ts'
import { git } from '../../test/support/git.ts'
import { inFullRun } from '../../test/support/run/tiers.ts'
import { createComment } from '../features/discussion/snippet-comments/snippet-comments.ts'
import { tendIndexJob } from '../features/search/code-index/code-index.jobs.ts'
import { backUp } from './backup.ts'
import { openProgress } from './progress.ts'
import { restoreFrom } from './restore.ts'

const signal = new AbortController().signal
const quietly = () => openProgress(true, { write: () => true, isTTY: false })

/** A backup of the forge, restored to a place of its own and served there. */
async function restored(forge: Forge): Promise<Forge> {
  const [folder, home] = [join(await outside(), 'backups'), join(await outside(), 'restored')]
  const saved = await backUp(forge.app.config, folder, { verify: true, keep: null, progress: quietly(), signal })
  const database = await freshDatabase(home)
  onTestFinished(() => database.drop())
  const env = { GITSTEAD_HOME: home, ...(database.url && { GITSTEAD_DATABASE_URL: database.url }) }
  const config = await restoreFrom(env, saved.folder, { verify: true, progress: quietly(), signal })
  const there = await openForge({
    config: { ...config, root_token: 'root-token-0123456789', root_password: 'root-password', log_level: 'silent' },
  })
  onTestFinished(() => there.close())
  return there
}

const files = [
  { file_path: 'build.sh', content: 'make bandicoot\n' },
  { file_path: 'docs/Größe.md', content: 'ä\n' },
]

async function fill(forge: Forge, project: TestProject, groupId: number) {
  const as = forge.as(forge.root)
  for (const at of [`/projects/${project.id}`, `/groups/${groupId}`]) {
    for (const title of ['home', 'Tiere/Nasenbeutler']) await as.post(`${at}/wikis`, { title, content: `# ${title}\n\nA **bandicoot**.\n` })
    await as.put(`${at}/wikis/home`, { title: 'home', content: 'Changed, with a bandicoot.\n' })
  }
  await as.post(`/projects/${project.id}/snippets`, { title: 'Build', files, visibility: 'private' })
  const { body: own } = await as.post('/snippets', { title: 'Mine', files, visibility: 'public', description: 'Of *this*' })
  await as.put(`/snippets/${own.id}`, { files: [{ action: 'move', previous_path: 'build.sh', file_path: 'make.sh' }] })
  const { body: listed } = await as.get(`/projects/${project.id}/snippets`)
  await as.post(`/projects/${project.id}/snippets/${listed[0].id}/notes`, { body: 'Why a bandicoot?' })
  const comment = await createComment(forge.app, forge.root, own, 'Whose bandicoot?')
  const given = { user_id: forge.root.id, name: 'tada', created_at: comment.created_at, updated_at: comment.created_at }
  await forge.app.db
    .insertInto('award_emoji')
    .values({ ...given, snippet_comment_id: comment.id })
    .execute()
  await tendIndexJob.handle(forge.app, {})
  await forge.drain()
}

const tables = [
  'wikis',
  'snippets',
  'snippet_files',
  'snippet_comments',
  'award_emoji',
  'notes',
  'user_agent_details',
  'code_projects',
  'code_parts',
  'code_segments',
]

/** Status and text of a page. Its links name the server, so the URL is removed: two servers must show the same. */
const read = async (forge: Forge, address: string) => {
  const { status, text } = await forge.as(forge.root).get(address)
  return [status, text.replaceAll(forge.app.config.url, '')]
}

test(
  'wikis, snippets and the index of code come back, row by row and ref by ref, and code that is pushed then is found',
  inFullRun('Backs up and restores a whole forge: 5 s of processor. backup.test.ts compares every row and ref of projects.'),
  async () => {
    const forge = await testForge()
    const group = await forge.group()
    const project = await forge.project({ group, files: { 'a.txt': 'a bandicoot\n' } })
    await fill(forge, project, group.id)
    const before = await rowsOf(forge.app.config.database_url ?? join(forge.app.config.home, 'gitstead.sqlite'))

    const there = await restored(forge)
    const after = await rowsOf(there.app.config.database_url ?? join(there.app.config.home, 'gitstead.sqlite'))

    for (const table of tables) {
      expect([table, after[table]]).toEqual([table, before[table]])
      expect([table, (after[table] ?? []).length > 0]).toEqual([table, true])
    }
    const wikis = await forge.app.db.selectFrom('wikis').select('id').execute()
    expect(wikis.length).toBe(2)
    for (const { id } of wikis) {
      const [old, fresh] = [forge.app.git.openWiki(id).dir, there.app.git.openWiki(id).dir]
      expect(await git(fresh, 'for-each-ref')).toBe(await git(old, 'for-each-ref'))
      expect(await git(fresh, 'symbolic-ref', 'HEAD')).toBe(await git(old, 'symbolic-ref', 'HEAD'))
      expect(await git(fresh, 'fsck', '--no-dangling')).toBe('')
    }
    const addresses = [
      `/projects/${project.id}/wikis?with_content=true`,
      `/groups/${group.id}/wikis/Tiere%2FNasenbeutler`,
      `/projects/${project.id}/snippets`,
      '/snippets',
      `/search?scope=snippet_blobs&search=bandicoot`,
      `/projects/${project.id}/search?scope=wiki_blobs&search=bandicoot`,
    ]
    for (const address of addresses) expect([address, await read(there, address)]).toEqual([address, await read(forge, address)])
    const { body: own } = await there.as(there.root).get('/snippets')
    expect((await there.as(there.root).get(`/snippets/${own[0].id}/files/main/make.sh/raw`)).text).toBe('make bandicoot\n')

    // The files of the index are made anew from the repositories.
    const found = async () => {
      await tendIndexJob.handle(there.app, {})
      await there.drain()
      const { body } = await there.as(there.root).get('/search?scope=blobs&search=bandicoot')
      return body.map(({ path }: { path: string }) => path).sort()
    }
    expect(await found()).toEqual(['a.txt'])
    const commit = { branch: 'main', commit_message: 'More', actions: [{ action: 'create', file_path: 'b.txt', content: 'bandicoots\n' }] }
    expect((await there.as(there.root).post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201)
    expect(await found()).toEqual(['a.txt', 'b.txt'])
  },
)
