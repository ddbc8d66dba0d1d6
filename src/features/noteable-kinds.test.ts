/** The table of noteables: one key for each, in rows and back, and what each kind promises. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testForge } from '../../test/support/forge.ts'
import { eventsVisibleTo } from '../access/events.ts'
import { findProject } from '../access/find.ts'
import { everything } from '../access/visible.ts'
import { columnsOf, findNoteable, issuableKinds, keyIn, keyOf, kindOf, noteableKinds, storedKinds } from './noteable-kinds.ts'

test('what names a noteable is read from the row that it was written to', () => {
  for (const { name } of storedKinds) {
    const key = keyOf({ kind: name, row: { id: 7, project_id: 3 } })
    expect([keyIn(columnsOf(key)), keyIn({ ...columnsOf(key), project_id: 3, commit_oid: 'a'.repeat(40) })]).toEqual([key, key])
  }
  const commit = keyOf({ kind: 'commit', row: { oid: 'a'.repeat(40), project_id: 3 } })
  expect(keyIn({ issue_id: null, merge_request_id: null, snippet_id: null, ...columnsOf(commit) })).toEqual(commit)
  expect(keyIn({ issue_id: null, merge_request_id: null, snippet_id: null, project_id: 3 })).toBeNull()
})

test('each kind has one name, and what the API, pages and tables call it', () => {
  for (const kind of noteableKinds) expect(kindOf({ kind: kind.name })).toBe(kind)
  expect(storedKinds.map(({ table, name }) => [table, name])).toEqual(storedKinds.map(({ name }) => [`${name}s`, name]))
  expect(issuableKinds.every((kind) => storedKinds.includes(kind))).toBe(true)
})

test('what a note is on is found by its row, as long as it is there; readers are those who see it', async () => {
  const forge = await testForge()
  const [owner, guest, stranger] = [await forge.user(), await forge.user(), await forge.user()]
  const project = await forge.project({ owner, guest, commits: [{ files: { a: 'a\n' } }] })
  const client = forge.as(owner)
  const issue = await forge.issue(project, owner, { confidential: true })
  const fields = { title: 'Build', file_name: 'a', content: 'a', visibility: 'private' }
  const { id } = (await client.post(`/projects/${project.id}/snippets`, fields)).body
  const { body: tip } = await client.get(`/projects/${project.id}/repository/commits/main`)
  await client.post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body: 'On the issue' })
  await client.post(`/projects/${project.id}/snippets/${id}/notes`, { body: 'On the snippet' })
  await client.post(`/projects/${project.id}/repository/commits/${tip.id}/discussions`, { body: 'On the commit' })

  const { project: located } = await findProject(forge.app.db, String(project.id), everything)
  const seen = async (body: string) => {
    const note = await forge.app.db
      .selectFrom('notes')
      .selectAll()
      .where('body', '=', body)
      .where('project_id', '=', project.id)
      .executeTakeFirstOrThrow()
    const noteable = await findNoteable(forge.app.db, note)
    if (!noteable) return null
    const ids = [owner.id, guest.id, stranger.id]
    return [kindOf(noteable).titleOf(noteable.row), await kindOf(noteable).readers(forge.app.db, located, noteable.row, ids)]
  }

  expect(await seen('On the issue')).toEqual([issue.title, [owner.id]])
  expect(await seen('On the snippet')).toEqual(['Build', [owner.id, guest.id]])
  expect(await seen('On the commit')).toEqual([`Commit ${tip.short_id.slice(0, 8)}`, [owner.id]])
  expect(await findNoteable(forge.app.db, { issue_id: 2 ** 31 - 1 })).toBeNull()
})

test('of each kind it is said who sees events on it: otherwise these would be for all who read the code', async () => {
  const { app } = await testForge()
  const events = app.db
    .selectFrom('events')
    .innerJoin('projects', 'projects.id', 'events.project_id')
    .leftJoin('issues', 'issues.id', 'events.issue_id')
    .leftJoin('notes', 'notes.id', 'events.note_id')
    .where((eb) => eventsVisibleTo(null)(eb as never))
  const { sql } = events.select('events.id').compile()
  for (const { name } of storedKinds) {
    for (const is of ['is null', 'is not null'])
      expect(sql, 'say who sees it in `eventsVisibleTo` (src/access/events.ts)').toContain(`"events"."${name}_id" ${is}`)
  }
})

test('a file that asks for mentions in issues and in snippets asks for those in every kind: otherwise it would show hidden ones', () => {
  const src = fileURLToPath(new URL('..', import.meta.url))
  const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.includes('migrations/'))
    .map((file) => [file, readFileSync(`${src}${file}`, 'utf8')] as const)
    .filter(([, text]) => text.includes('about_issue_id') && text.includes('about_snippet_id'))
  const forgotten = texts.flatMap(([file, text]) =>
    storedKinds.map(({ name }) => `about_${name}_id`).flatMap((column) => (text.includes(column) ? [] : `${file} forgets ${column}`)),
  )
  expect([texts.length > 3, forgotten]).toEqual([true, []])
})
